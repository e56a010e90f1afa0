import Foundation
import RallyClient
import RallyCommand
import RallyDomain
import RallyServer
import RallySystem
import RallyText
import RallyWire

/// The address under which a group reaches this server, as its operator said it.
struct PublicAddress {
  let url: ServerURL

  /// Asks at the address, and says what answers there. This machine may not get there although others
  /// do, so the server goes on whatever comes.
  ///
  /// - Parameter key: The server's API key, which no other server accepts.
  func check(key: String, _ output: Output) async {
    let url = url
    let client = SupabaseClient(tokens: nil) {
      ServerAddress(endpoint: .url(url), key: key)
    }
    do {
      try await ServerHealthService(client: client).checkServer()
      output.message("\(url) answers as this server: invitations are links to it.")
    } catch NetworkError.invalidKey, NetworkError.notTheServer, NetworkError.moved {
      output.message(
        "Something else than this server answers at \(url): invitations would lead there. Check"
          + " --public-url, and the proxy.")
    } catch {
      output.message(
        "\(url) was not reached from here, so nobody knows whether invitations work:"
          + " \(error.sentence)")
    }
  }
}

extension ServePublicAddress {
  /// How the group reaches this server; nil if nobody said it.
  ///
  /// - Throws: `VerbFailure` for what is no address, and for one that everybody on the way reads.
  func url(insecure: Bool) throws -> ServerURL? {
    let typed = publicURL ?? ProcessInfo.processInfo.environment["RALLY_PUBLIC_URL"]
    guard let typed, !typed.isEmpty else { return nil }
    let url: ServerURL
    do {
      url = try ServerURL(typed)
    } catch {
      throw VerbFailure(.usage, "“\(typed.cleanedForDisplay)” is no address.", advice: error.advice)
    }
    guard url.isSecure || insecure || ListenAddress.isLoopback(url.host) else {
      throw VerbFailure(
        .usage, "Without TLS anybody on the way to \(url) can read passwords.",
        advice: "Give an address with https, or --insecure in a network of your own.")
    }
    return url
  }
}
