import ArgumentParser

/// Makes a code that lets the first person into a group.
package struct ServeInviteVerb: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Make an invitation for one person, without an account.",
    discussion: """
      It is for the first person of a group that takes people by invitation; they invite the others. \
      Works beside the running server, and prints a link where that says how it is reached.
      """)

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase
  @Option(help: "How long it can be used: 2h or 2d, up to 366d; seven days if left out.")
  package var expires: String?
  @OptionGroup package var address: ServePublicAddress

  package init() {}
}
