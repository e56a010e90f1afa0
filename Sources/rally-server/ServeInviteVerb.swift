import Foundation
import RallyClient
import RallyCommand
import RallyDomain
import RallyServer
import RallyStorage
import RallySystem
import RallyWire

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
      output.message(
        "It is no link: the server does not say how it is reached. Give --public-url.")
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
