// The titles of the players' pages by language, and the header's links.
// Generated from pages.py: python -m wartable.server.http.typings src/wartable/web/js/types.js

/** @typedef {Readonly<Record<keyof typeof import("./texts.js").LANGUAGES, string>>} Words */

/** @type {Readonly<Record<string, Words>>} */
export const TITLES = {
  "lobby": {
    "en": "Lobby",
    "es": "Sala"
  },
  "rules": {
    "en": "Rules and odds",
    "es": "Reglas y probabilidades"
  },
  "lab": {
    "en": "Lab",
    "es": "Laboratorio"
  },
  "history": {
    "en": "History",
    "es": "Historial"
  },
  "fairness": {
    "en": "Fairness",
    "es": "Juego limpio"
  },
  "account": {
    "en": "Account",
    "es": "Cuenta"
  },
  "replay": {
    "en": "Replay",
    "es": "Repetición"
  }
};

/** @type {ReadonlyArray<{path: string, words: Words}>} */
export const LINKS = [
  {
    "path": "/",
    "words": {
      "en": "Lobby",
      "es": "Sala"
    }
  },
  {
    "path": "/rules",
    "words": {
      "en": "Rules",
      "es": "Reglas"
    }
  },
  {
    "path": "/lab",
    "words": {
      "en": "Lab",
      "es": "Laboratorio"
    }
  },
  {
    "path": "/history",
    "words": {
      "en": "History",
      "es": "Historial"
    }
  },
  {
    "path": "/fairness",
    "words": {
      "en": "Fairness",
      "es": "Juego limpio"
    }
  }
];
