import RallyCommand
import RallyDomain

extension ServeHealthVerb: PerformedVerb {
  func perform() async throws {
    let address = global.server ?? "http://127.0.0.1:\(port)"
    let call = try HTTPCall(
      endpoint: .url(ServerURL(address)), method: .get, path: "/health", timeout: .seconds(5))
    let status = try await Transport.live.send(call).status
    guard status == 200 else {
      throw VerbFailure(
        .failed, "The server at \(address) is not ready (status \(status)).",
        advice: "Its log says why: it is about to end, or its database does not answer.")
    }
    Output(options: global).message("The server is ready.")
  }
}
