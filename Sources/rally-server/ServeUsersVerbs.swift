import ArgumentParser
import Foundation
import RallyDomain
import RallyServer
import RallyText
import RallyWire

/// Manages accounts in a server's data folder, whether the server runs or not.
struct ServeUsers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
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
}

struct ServeUsersList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the accounts of a server by username.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var place: ServeDatabase
  @Argument(help: "Part of a username or an e-mail address; all accounts if left out.")
  var text: String?

  func run() async throws {
    let output = Output(options: global)
    let accounts = try await global.administration(on: place) {
      try await $0.accounts(matching: text)
    }
    if global.json { return try output.json(accounts) }
    output.table(
      accounts.map(\.cells),
      headings: ["username", "name", "e-mail", "last sign-in", ""])
    output.message("\(accounts.count.counted("account")).")
  }
}

struct ServeUsersDisable: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Close an account for a while: nobody can sign in to it any more.",
    discussion: """
      Open connections end at once. The position is removed and invitation codes are revoked; \
      friendships and missions stay, and are there again after `enable`.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var place: ServeDatabase
  @Argument(help: "A username, an e-mail address or an id.") var name: String
  @Flag(help: "Do not ask.") var yes = false

  func run() async throws {
    try Confirmation(isGiven: yes).ask("Disable \(name.cleanedForDisplay)?")
    try await global.report(on: place, "is disabled") { try await $0.disable(name) }
  }
}

struct ServeUsersEnable: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Open an account again that was disabled.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var place: ServeDatabase
  @Argument(help: "A username, an e-mail address or an id.") var name: String

  func run() async throws {
    try await global.report(on: place, "is enabled") { try await $0.enable(name) }
  }
}

struct ServeUsersDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Remove an account with everything of its person, for good.",
    discussion: """
      Missions that others are in stay with them, without a name; those that were open are \
      cancelled. The username is free again.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var place: ServeDatabase
  @Argument(help: "A username, an e-mail address or an id.") var name: String
  @Flag(help: "Do not ask.") var yes = false

  func run() async throws {
    try Confirmation(isGiven: yes).ask(
      "Delete \(name.cleanedForDisplay) with everything of theirs, for good?")
    try await global.report(on: place, "is gone") { try await $0.delete(name) }
  }
}

struct ServeUsersResetPassword: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-password",
    abstract: "Give an account a new password and sign it out everywhere.",
    discussion: """
      The password is asked for on the terminal, read from standard input, or made up and printed \
      once. It is never an argument.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var place: ServeDatabase
  @Argument(help: "A username, an e-mail address or an id.") var name: String
  @Flag(help: "Read the password from the first line of standard input.") var passwordStdin = false
  @Flag(help: "Make up a password and print it.") var generate = false

  func validate() throws {
    if passwordStdin, generate {
      throw ValidationError("Give --password-stdin or --generate, not both.")
    }
  }

  func run() async throws {
    let output = Output(options: global)
    // An unknown account is reported before a password is typed.
    let account = try await global.administration(on: place) { try await $0.account(name) }
    let password =
      generate
      ? AccountAdministration.freshPassword()
      : try PasswordInput(fromStandardInput: passwordStdin).read(isNew: true)
    let changed = try await global.administration(on: place) {
      try await $0.resetPassword(of: account.id.uuidString, to: password)
    }
    if global.json {
      try output.json(ServeUserReset(account: changed, password: generate ? password : nil))
    } else if generate {
      output.data(password)
    }
    output.message("@\(changed.username) has a new password and is signed out everywhere.")
  }
}

/// The output of `reset-password --json`.
private struct ServeUserReset: Encodable {
  var account: AccountAdministration.Account
  /// Only a generated one.
  var password: String?
}

extension GlobalOptions {
  /// Runs `body` on the accounts of the data folder or of the named database.
  fileprivate func administration<T>(
    on place: ServeDatabase, _ body: (AccountAdministration) async throws -> T
  ) async throws -> T {
    let folder = try RallyFolders(data: data, profile: profile).data
    let database = try DatabaseChoice.database(
      flag: place.database, environment: ProcessInfo.processInfo.environment, folder: folder)
    do {
      let administration = try await AccountAdministration(database)
      defer { try? administration.close() }
      return try await body(administration)
    } catch let failure as AccountAdministration.Failure {
      throw VerbFailure(
        .refused, failure.description, advice: "`rally serve users list` shows who is.")
    } catch {
      guard let failure = VerbFailure(of: error, on: database) else { throw error }
      throw failure
    }
  }

  fileprivate func report(
    on place: ServeDatabase, _ what: String,
    _ body: (AccountAdministration) async throws -> AccountAdministration.Account
  ) async throws {
    let account = try await administration(on: place, body)
    if json { try Output(options: self).json(account) }
    Output(options: self).message("@\(account.username) \(what).")
  }
}

extension AccountAdministration.Account {
  /// The columns: username, name, e-mail, day of the last sign-in, status.
  fileprivate var cells: [String] {
    [
      "@\(username)", displayName.cleanedForDisplay, email.escapedForDisplay,
      String(lastSignInAt.description.prefix(10)), isDisabled ? "disabled" : "",
    ]
  }
}
