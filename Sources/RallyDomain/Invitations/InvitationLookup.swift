import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyText
import RallyWire

/// What an invitation's link leads to, known before anybody has an account there.
public struct FoundInvitation: Hashable, Sendable {
  public let code: InvitationCode
  /// The server, with the API key that the code opened.
  public let server: ServerChoice
  /// Who invites, and to what.
  public let invitation: OpenInvitation

  public init(code: InvitationCode, server: ServerChoice, invitation: OpenInvitation) {
    self.code = code
    self.server = server
    self.invitation = invitation
  }
}

/// Asks a server what a code gives, without its API key.
///
/// A code gives access to whoever has it, so it is never logged.
public struct InvitationLookup: Sendable {
  /// Why a link leads to no invitation.
  public struct Problem: Error, Hashable, Sendable {
    /// Says what is the matter, and what to ask for.
    public let sentence: String
    /// Whether the same link can lead to one later.
    public let canRetry: Bool
  }

  private let transport: Transport
  private let allowsPlain: Bool
  private let answers = ServerAnswers()
  private let log = RallyLog.logger("Invitations")

  private static let timeout = Duration.seconds(10)

  /// - Parameter allowsPlain: Whether http may be used on a public network too.
  public init(transport: Transport = .live, allowsPlain: Bool = false) {
    self.transport = transport
    self.allowsPlain = allowsPlain
  }

  /// Asks the link's server; where a messenger may have written `http` for `https`, over TLS first.
  ///
  /// - Throws: `Problem`.
  public func find(_ link: InvitationLink) async throws(Problem) -> FoundInvitation {
    guard let url = link.server else {
      throw Problem(sentence: "This code names no server. Ask for the link.", canRetry: false)
    }
    do {
      return try await ask(link.code, at: url)
    } catch {
      if let plain = link.plainServer, (error as? NetworkError)?.isOffline == true,
        let found = try? await ask(link.code, at: plain)
      {
        return found
      }
      log.info("find — failed: \(error.logLabel)")
      throw Self.problem(error, at: url)
    }
  }

  private func ask(_ code: InvitationCode, at url: ServerURL) async throws -> FoundInvitation {
    if !allowsPlain { try await PlainHTTP.require(privacyOf: url) }
    let call = HTTPCall(
      endpoint: .url(url), method: .post, path: InvitationQuestion.path,
      headers: [("Content-Type", "application/json")],
      body: try WireJSON.encode(InvitationQuestion(code: code)), timeout: Self.timeout)
    let invitation = try await answers.send(call, as: .json, over: transport)
      .decoded(OpenInvitation.self)
    return FoundInvitation(
      code: code,
      server: .remote(url, key: invitation.key, allowsPlain: allowsPlain && !url.isSecure),
      invitation: invitation)
  }

  private static func problem(_ error: any Error, at url: ServerURL) -> Problem {
    switch error as? NetworkError {
    case .refused(let failure, _) where failure.reason == .invitationOver:
      Problem(
        sentence: "This invitation has been used. Ask whoever sent it for a new one.",
        canRetry: false)
    case .refused(let failure, _) where failure.reason == .notFound:
      Problem(
        sentence:
          "This invitation is not open: it has ended, or was taken back. Ask whoever sent it"
          + " for a new one.", canRetry: false)
    case .notTheServer(status: 401?), .notTheServer(status: 404?), .invalidKey, .http(status: 404):
      Problem(
        sentence: "\(url) takes no invitations by link. Ask whoever sent it for the API key:"
          + " rally --server \(url) --key KEY", canRetry: false)
    case let network?:
      Problem(sentence: "\(url): \(network.sentence)", canRetry: network.isTransient)
    case nil: Problem(sentence: error.sentence, canRetry: true)
    }
  }
}

extension OpenInvitation {
  /// `@ana invites you: you become friends.`
  public var sentence: String {
    guard let inviter else { return "You are invited to the group on this server." }
    guard let mission else { return "@\(inviter.username) invites you: you become friends." }
    let day = WireTime("\(mission.day)T00:00:00Z").map { " on \(Age.day($0))" } ?? ""
    return "@\(inviter.username) invites you to \(mission.title)\(day)."
  }
}
