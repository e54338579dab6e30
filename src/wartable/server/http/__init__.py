"""HTTP and WebSocket: the application, its routes, connections, messages and pages."""
