"""The law of sockets: what a processor of many cores is rated at, fitted on sockets that were built."""
