import ArgumentParser

/// Asks a running server whether it is ready, for whoever watches over it.
package struct ServeHealthVerb: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Ask a running server whether it is ready.",
    discussion: """
      Asks GET /health on this machine at the port that `rally serve --metrics-port` was given, or \
      at the address of --server. Ends with 0 if the server is ready, with 1 if it says that it is \
      not, and with 4 if it does not answer within five seconds.
      """)

  @OptionGroup package var global: GlobalOptions
  @Argument(help: "The port of `rally serve --metrics-port`.") package var port = 9787

  package init() {}
}
