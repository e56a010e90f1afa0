import RallyClient
import RallyCommand
import RallyDomain

extension ServeHealthVerb: PerformedVerb {
  func perform() async throws {
    let address = global.server ?? "http://127.0.0.1:\(port)"
    do {
      try await SupabaseClient.checkHealth(of: ServerURL(address), timeout: .seconds(5))
    } catch NetworkError.http(let status), NetworkError.notTheServer(let status?) {
      throw VerbFailure(
        .failed, "The server at \(address) is not ready (status \(status)).",
        advice: "Its log says why: it is about to end, or its database does not answer.")
    }
    Output(options: global).message("The server is ready.")
  }
}
