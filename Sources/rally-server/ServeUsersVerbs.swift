import Foundation
import RallyClient
import RallyCommand
import RallyDomain
import RallyRules
import RallyServer
import RallyStorage
import RallySystem
import RallyText
import RallyWire

extension ServeUsersList: PerformedVerb {
  func perform() async throws {
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

extension ServeUsersDisable: PerformedVerb {
  func perform() async throws {
    try Confirmation(isGiven: yes).require("Disable \(name.cleanedForDisplay)?")
    try await global.report(on: place, "is disabled") { try await $0.disable(name) }
  }
}

extension ServeUsersEnable: PerformedVerb {
  func perform() async throws {
    try await global.report(on: place, "is enabled") { try await $0.enable(name) }
  }
}

extension ServeUsersDelete: PerformedVerb {
  func perform() async throws {
    try Confirmation(isGiven: yes).require(
      "Delete \(name.cleanedForDisplay) with everything of theirs, for good?")
    try await global.report(on: place, "is deleted") { try await $0.delete(name) }
  }
}

extension ServeUsersResetPassword: PerformedVerb {
  func perform() async throws {
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
  var account: OperatedAccount
  /// Only a generated one.
  var password: String?
}

extension GlobalOptions {
  /// Runs `body` on the accounts of the data folder or of the named database.
  func administration<T>(
    on place: ServeDatabase, _ body: (AccountAdministration) async throws -> T
  ) async throws -> T {
    let folder = try RallyFolders(data: data, profile: profile).data
    let database = try DatabaseChoice.database(flag: place.database, folder: folder)
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
    _ body: (AccountAdministration) async throws -> OperatedAccount
  ) async throws {
    let account = try await administration(on: place, body)
    if json { try Output(options: self).json(account) }
    Output(options: self).message("@\(account.username) \(what).")
  }
}

extension OperatedAccount {
  /// The columns: username, name, e-mail, day of the last sign-in, status.
  fileprivate var cells: [String] {
    [
      "@\(username)", displayName.cleanedForDisplay, email.escapedForDisplay,
      String(lastSignInAt.description.prefix(10)), isDisabled ? "disabled" : "",
    ]
  }
}

extension ServeInviteVerb: PerformedVerb {
  func perform() async throws {
    let output = Output(options: global)
    let life = try expires.map(ShareTime.duration(typed:)) ?? .seconds(7 * 86_400)
    guard life > .zero, life <= CreateInvitation.longestLife else {
      throw VerbFailure(.usage, "An invitation is good for at most 366 days.")
    }
    let server = try publicAddress
    let code = try await global.administration(on: place) { try await $0.invite(for: life) }
    let text = server.map { InvitationLink.web(code, at: $0) } ?? code.description
    if global.json {
      try output.json(["code": code.value, "link": server == nil ? nil : text])
    } else {
      output.data(text)
    }
    output.message("It lets one person in, until \(Age.day(WireTime.now.advanced(by: life))).")
    if server == nil {
      output.message("It is no link: the server does not say how it is reached. Give --public-url.")
    }
  }

  /// As it was typed, else as the environment says it, else as the running server does.
  private var publicAddress: ServerURL? {
    get throws {
      let folder = try RallyFolders(data: global.data, profile: global.profile).data
      let typed =
        address.publicURL ?? ProcessInfo.processInfo.environment["RALLY_PUBLIC_URL"]
        ?? DataFolderLock.owner(folder: folder)?.publicURL
      return try typed.map { try ServerURL($0) }
    }
  }
}
