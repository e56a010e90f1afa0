import Hummingbird
import Logging

/// A hidden mode of this program: Hummingbird's hello-world example, for comparison.
enum HelloServer {
  static let flag = "--hello"

  /// Prints its port and serves until it is killed.
  static func run() async throws {
    let router = Router()
    router.get("hello") { _, _ in "Hello" }
    var logger = Logger(label: "hello")
    logger.logLevel = .error
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { SocketLoad.say("\($0.localAddress?.port ?? 0)") }, logger: logger)
    try await application.run()
  }
}
