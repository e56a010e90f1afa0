import ArgumentParser

/// Manages accounts in a server's data folder, whether the server runs or not.
package struct ServeUsers: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "users", abstract: "List, close, open and remove the accounts of a server.",
    discussion: """
      Works on the data folder of a server, whether it runs or not. NAME is a username, an e-mail \
      address or an id.
      """,
    subcommands: [
      ServeUsersList.self, ServeUsersDisable.self, ServeUsersEnable.self, ServeUsersDelete.self,
      ServeUsersResetPassword.self,
    ],
    defaultSubcommand: ServeUsersList.self)

  package init() {}
}

package struct ServeUsersList: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the accounts of a server by username.")

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase
  @Argument(help: "Part of a username or an e-mail address; all accounts if left out.")
  package var text: String?

  package init() {}
}

package struct ServeUsersDisable: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Close an account for a while: nobody can sign in to it any more.",
    discussion: """
      Open connections end at once. The position is removed and invitation codes are revoked; \
      friendships and missions stay, and are there again after `enable`.
      """)

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase
  @Argument(help: "A username, an e-mail address or an id.") package var name: String
  @Flag(help: "Do not ask for confirmation.") package var yes = false

  package init() {}
}

package struct ServeUsersEnable: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Open a disabled account again.")

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase
  @Argument(help: "A username, an e-mail address or an id.") package var name: String

  package init() {}
}

package struct ServeUsersDelete: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Remove an account with everything of its person, for good.",
    discussion: """
      Missions that others are in stay with them, without a name; those that were open are \
      cancelled. The username is free again.
      """)

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase
  @Argument(help: "A username, an e-mail address or an id.") package var name: String
  @Flag(help: "Do not ask for confirmation.") package var yes = false

  package init() {}
}

package struct ServeUsersResetPassword: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "reset-password",
    abstract: "Give an account a new password and sign it out everywhere.",
    discussion: """
      The password is asked for on the terminal, read from standard input, or made up and printed \
      once. It is never an argument.
      """)

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase
  @Argument(help: "A username, an e-mail address or an id.") package var name: String
  @Flag(help: "Read the password from the first line of standard input.")
  package var passwordStdin = false
  @Flag(help: "Make up a password and print it.") package var generate = false

  package init() {}

  package func validate() throws {
    if passwordStdin, generate {
      throw ValidationError("Give --password-stdin or --generate, not both.")
    }
  }
}

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
