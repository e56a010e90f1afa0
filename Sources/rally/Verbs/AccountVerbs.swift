import ArgumentParser
import FoundationEssentials
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire

struct SignUpVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signup", abstract: "Create an account and sign in.")

  @OptionGroup var global: GlobalOptions
  @Option(help: "The e-mail address; the embedded server needs none.") var email: String?
  @Option(help: "3–24 of a–z, 0–9, _ and .") var username: String
  @Option(help: "The name that friends see; the username if left out.") var displayName: String?
  @Option(
    help: "The link or the code of an invitation; a link says which server, and needs no e-mail.")
  var invitation: String?
  @Flag(help: "Read the password from the first line of standard input.") var passwordStdin = false

  func run() async throws {
    let link = try invitation.map { text throws(FieldProblem) in try InvitationLink(text) }
    let session = try await CommandSession(try await global.server(of: link))
    let name = try Username(username)
    let code = link?.code
    let server = await session.services.server
    if let problem = link?.problem(on: server) { throw problem }
    let asksNone = server == .embedded || link?.server != nil
    guard let address = email ?? (asksNone ? ProfileText.derivedEmail(for: name) : nil) else {
      throw VerbFailure(.usage, "This server asks for an e-mail address.", advice: "Give --email.")
    }
    let password = try PasswordInput(fromStandardInput: passwordStdin).read(isNew: true)
    let made = try await session.signUp(
      name, email: address, password: password, displayName: displayName, invitation: code)
    try await ServerMemoryService(folders: session.services.folders).remember(server)
    try await session.report(made, sentence: "Welcome, @\(name). You are signed in.")
  }
}

extension GlobalOptions {
  /// The same with the server of an invitation's link and the API key that its code opens, unless a
  /// server was named.
  fileprivate func server(of link: InvitationLink?) async throws -> GlobalOptions {
    guard let link, link.server != nil, server == nil, key == nil else { return self }
    do throws(InvitationLookup.Problem) {
      let found = try await InvitationLookup(allowsPlain: insecure).find(link)
      guard case .remote(let url, let key, _, _) = found.server else { return self }
      var options = self
      (options.server, options.key) = (url.description, key)
      return options
    } catch {
      throw VerbFailure(error.canRetry ? .offline : .refused, error.sentence)
    }
  }
}

struct LoginVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Sign in to an account.")

  @OptionGroup var global: GlobalOptions
  @Option(help: "The e-mail address, or the username where none was asked for.") var email: String
  @Flag(help: "Read the password from the first line of standard input.") var passwordStdin = false

  func run() async throws {
    let session = try await CommandSession(global)
    let server = await session.services.server
    let address =
      !email.dropFirst().contains("@")
      ? ProfileText.derivedEmail(for: try Username(email)) : email
    let password = try PasswordInput(fromStandardInput: passwordStdin).read(isNew: false)
    let opened = try await session.services.authService.signIn(email: address, password: password)
    try await ServerMemoryService(folders: session.services.folders).remember(server)
    try await session.report(opened, sentence: "You are signed in.")
  }
}

struct LogoutVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout", abstract: "Sign out and forget the session on this machine.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let hadOwnRules = await !session.restoredPrivacyRules.kept.own.isEmpty
    var problem: SignOutProblem?
    do {
      try await session.services.accountMaintenanceService.signOut()
      session.output.message("You are signed out.")
    } catch let error as SignOutProblem {
      problem = error
    }
    if hadOwnRules {
      session.output.message(
        "Your zones and hours were kept on this machine only, and are deleted with all else.")
    }
    if let problem { throw problem }
  }
}

struct AccountVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Delete your account.", subcommands: [AccountDelete.self])
}

struct AccountDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete your account with everything of yours, for good.",
    discussion: """
      Friendships, positions and messages are gone from the server. Missions that others are in stay \
      with them, without your name; those of yours that were open are cancelled. The username is free \
      again.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Read the password from the first line of standard input.") var passwordStdin = false
  @Flag(help: "Do not ask for confirmation.") var yes = false

  func run() async throws {
    let session = try await CommandSession(global)
    let opened = try await session.requireSession()
    let name = opened.user.userMetadata["username"]?.string.map(TextLimits.username.shown) ?? ""
    try Confirmation(isGiven: yes).require(
      "Delete @\(name) on \(await session.services.server.name) for good?",
      because: "Nobody can bring back what is deleted.")
    let password = try PasswordInput(fromStandardInput: passwordStdin).read(isNew: false)
    do {
      try await session.services.accountMaintenanceService.deleteAccount(password: password)
    } catch AuthError.invalidCredentials {
      throw VerbFailure(.refused, "That is not the password of @\(name). Nothing was deleted.")
    }
    session.output.message("Your account is deleted.")
  }
}

struct WhoAmIVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Say who is signed in, and where.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession(global)
    try await session.report(try await session.requireSession(), sentence: nil)
  }
}

/// The signed-in person as `whoami --json` prints them.
private struct WhoAmIRow: Encodable {
  var id: UUID
  var username: String
  var displayName: String
  var email: String?
  var server: String
  var profile: String

  enum CodingKeys: String, CodingKey {
    case id, username, email, server, profile
    case displayName = "display_name"
  }
}

extension CommandSession {
  /// Makes the account and signs in.
  fileprivate func signUp(
    _ name: Username, email: String, password: String, displayName: String?,
    invitation: InvitationCode?
  ) async throws -> AuthSession {
    let authService = await services.authService
    do {
      return try await authService.signUp(
        email: email, password: password, username: name.value, displayName: displayName,
        invitation: invitation)
    } catch {
      guard case .file(let file) = error else { throw error }
      throw VerbFailure(
        .failed, "The account @\(name) is made, but nobody is signed in: \(file.sentence)",
        advice: "Mend that, then run `rally login`.")
    }
  }

  /// Prints who is signed in, with the current profile if the server is reached.
  fileprivate func report(_ opened: AuthSession, sentence: String?) async throws {
    if let sentence { output.message(sentence) }
    if sentence != nil, !output.options.json { return }
    let fetched: CommunityProfile?
    do {
      fetched = try await services.profileService.fetchProfile()
    } catch let error as NetworkError where error.isOffline {
      output.message("The server is not reached; this is what is known here.")
      fetched = nil
    }
    let metadata = opened.user.userMetadata
    let row = WhoAmIRow(
      id: opened.user.id,
      username: fetched?.username ?? metadata["username"]?.string.map(TextLimits.username.shown)
        ?? "",
      displayName: fetched?.displayName
        ?? metadata["display_name"]?.string.map(TextLimits.name.shown) ?? "",
      email: opened.user.email, server: await services.server.name,
      profile: await services.folders.profile)
    if output.options.json {
      try output.json(row)
    } else {
      output.data("\(row.displayName) @\(row.username) on \(row.server)")
    }
  }
}
