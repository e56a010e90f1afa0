import ArgumentParser

/// Replaces the secret that signs tokens, in case it has leaked.
package struct ServeRotateSecretVerb: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "rotate-secret", abstract: "Exchange the secret that signs tokens.",
    discussion: """
      Nobody is signed out: tokens of the old secret stay good until they end. The API key does \
      not change. A server that runs on the same --data takes the new secret at once. With \
      --database and --encryption-key all servers of that database take it by themselves.
      """)

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase

  package init() {}
}
