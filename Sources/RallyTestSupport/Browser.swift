import Foundation
import RallyClient
import RallyDomain
import RallyText
import RallyWire
import Synchronization

/// A headless Chromium with a profile of its own, driven by its DevTools protocol over one WebSocket.
public final class Browser: Sendable {
  /// Where it is on this machine; nil if it is not installed.
  public static let program = ["/usr/bin/chromium", "/usr/bin/google-chrome"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private struct State: Sendable {
    var lastID: Int64 = 0
    var answers: [Int64: JSONValue] = [:]
    var events: [JSONValue] = []
  }

  private let folder: TemporaryFolder
  private let command: RunningCommand
  private let socket: SocketLink
  private let state = Mutex(State())

  /// Starts it, with certificates of tests accepted.
  ///
  /// - Parameter names: What else is this machine: `rally.example.test`.
  /// - Throws: `ProcessFailure` if it is not installed or does not start.
  public init(resolving names: [String] = []) async throws {
    guard let program = Self.program else { throw ProcessFailure("Chromium is not installed.") }
    folder = try TemporaryFolder()
    let rules = names.map { "MAP \($0) 127.0.0.1" }.joined(separator: ",")
    // Root's may not have its sandbox: https://crbug.com/638180.
    command = try RunningCommand(
      program,
      [
        "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--remote-debugging-port=0", "--ignore-certificate-errors",
        "--host-resolver-rules=\(rules)", "--user-data-dir=\(folder.file("profile"))",
      ] + (getuid() == 0 ? ["--no-sandbox"] : []) + ["about:blank"],
      environment: folder.environment.merging(["HOME": folder.path]) { $1 })
    let address = try await Self.address(of: command)
    let start = address.firstIndex(of: "/") ?? address.endIndex
    let server = try ServerURL("http://\(address[..<start])")
    socket = try await Transport.live.openSocket(
      SocketCall(endpoint: .url(server), path: String(address[start...])))
    Task { [weak self, incoming = socket.incoming] in
      for await text in incoming { self?.take(text) }
    }
  }

  /// `127.0.0.1:PORT/devtools/browser/ID`, as it says on standard error among other lines.
  private static func address(of command: RunningCommand) async throws -> String {
    var backoff = PollingBackoff(.seconds(60))
    repeat {
      let text = command.snapshot.errorText
      if let start = text.firstRange(of: "DevTools listening on ws://")?.upperBound,
        let end = text[start...].firstIndex(of: "\n")
      {
        return String(text[start..<end])
      }
    } while command.snapshot.status == nil ? await backoff.pause() : false
    throw ProcessFailure("Chromium did not start. \(command.snapshot.errorText)")
  }

  /// Ends it and what it started.
  public func close() async {
    _ = try? await call("Browser.close")
    socket.close()
    command.signal(SIGTERM)
  }

  // MARK: - The protocol

  private func take(_ text: String) {
    guard let message = try? WireJSON.decode(JSONValue.self, from: Data(text.utf8)) else { return }
    state.withLock { state in
      if case .integer(let id)? = message["id"] {
        state.answers[id] = message
      } else {
        state.events.append(message)
      }
    }
  }

  /// - Throws: `ProcessFailure` with what the browser says.
  @discardableResult
  public func call(
    _ method: String, _ parameters: JSONValue = [:], session: String? = nil
  ) async throws -> JSONValue {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    var message: [String: JSONValue] = [
      "id": .integer(id), "method": .string(method), "params": parameters,
    ]
    message["sessionId"] = session.map(JSONValue.string)
    socket.send(String(decoding: try WireJSON.encode(JSONValue.object(message)), as: UTF8.self))
    var backoff = PollingBackoff(.seconds(60))
    repeat {
      guard let answer = state.withLock({ $0.answers.removeValue(forKey: id) }) else { continue }
      if let error = answer["error"] { throw ProcessFailure("\(method): \(error)") }
      return answer["result"] ?? .null
    } while await backoff.pause()
    throw ProcessFailure("\(method): no answer")
  }

  /// A page in a context of its own.
  public func page() async throws -> BrowserPage {
    let context = try await call("Target.createBrowserContext")["browserContextId"] ?? .null
    let target = try await call(
      "Target.createTarget", ["url": "about:blank", "browserContextId": context])
    let attached = try await call(
      "Target.attachToTarget", ["targetId": target["targetId"] ?? .null, "flatten": true])
    let page = BrowserPage(
      browser: self, session: attached["sessionId"]?.string ?? "", context: context)
    for domain in ["Page", "Log", "Network"] { try await page.call("\(domain).enable") }
    return page
  }

  fileprivate func events(of session: String, named method: String) -> [JSONValue] {
    state.withLock { $0.events }.filter {
      $0["sessionId"]?.string == session && $0["method"]?.string == method
    }.map { $0["params"] ?? .null }
  }
}

public struct BrowserPage: Sendable {
  fileprivate let browser: Browser
  fileprivate let session: String
  fileprivate let context: JSONValue

  /// - Throws: As `Browser.call`.
  @discardableResult
  public func call(_ method: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
    try await browser.call(method, parameters, session: session)
  }

  public func open(_ address: String) async throws {
    try await call("Page.navigate", ["url": .string(address)])
    try await wait { "document.readyState === 'complete' && location.href !== 'about:blank'" }
  }

  /// Runs a script before those of each page that is opened from now on.
  public func prepare(_ script: String) async throws {
    try await call("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)])
  }

  /// The device is there, and says so to the page of a secure address.
  public func locate(
    _ latitude: Double, _ longitude: Double, accuracy: Double = 10, at address: String
  ) async throws {
    try await browser.call(
      "Browser.grantPermissions",
      [
        "permissions": ["geolocation"], "origin": .string(address), "browserContextId": context,
      ])
    try await call(
      "Emulation.setGeolocationOverride",
      [
        "latitude": .number(latitude), "longitude": .number(longitude),
        "accuracy": .number(accuracy),
      ])
  }

  /// Takes the network away from the page, or gives it back.
  public func setOnline(_ isOnline: Bool) async throws {
    try await call(
      "Network.emulateNetworkConditions",
      [
        "offline": .bool(!isOnline), "latency": 0, "downloadThroughput": -1,
        "uploadThroughput": -1,
      ])
  }

  /// The value of an expression of the page.
  ///
  /// - Throws: `ProcessFailure` if it throws.
  @discardableResult
  public func value(of expression: String) async throws -> JSONValue {
    let answer = try await call(
      "Runtime.evaluate",
      ["expression": .string(expression), "awaitPromise": true, "returnByValue": true])
    if let problem = answer["exceptionDetails"] {
      throw ProcessFailure("\(expression): \(problem)")
    }
    return answer["result"]?["value"] ?? .null
  }

  /// What a reader of the page sees.
  public func text() async throws -> String {
    try await value(of: "document.body.innerText").string ?? ""
  }

  /// Waits until an expression is true.
  public func wait(_ expression: () -> String) async throws {
    let expression = expression()
    var backoff = PollingBackoff(.seconds(60))
    repeat {
      if try await value(of: "Boolean(\(expression))") == true { return }
    } while await backoff.pause()
    throw ProcessFailure("never true: \(expression), in \(try await text())")
  }

  public func press(_ key: String, code: Int64) async throws {
    var parameters: [String: JSONValue] = [
      "key": .string(key), "code": .string(key), "windowsVirtualKeyCode": .integer(code),
      "type": "keyDown",
    ]
    if key == "Enter" { parameters["text"] = "\r" }
    try await call("Input.dispatchKeyEvent", .object(parameters))
    parameters["type"] = "keyUp"
    parameters["text"] = nil
    try await call("Input.dispatchKeyEvent", .object(parameters))
  }

  /// The addresses that were asked for, each with its method.
  public var requests: [String] {
    browser.events(of: session, named: "Network.requestWillBeSent").compactMap { event in
      guard let request = event["request"], let url = request["url"]?.string else { return nil }
      return "\(request["method"]?.string ?? "") \(url)\(request["urlFragment"]?.string ?? "")"
    }
  }

  /// The bodies that were sent.
  public var bodies: [String] {
    browser.events(of: session, named: "Network.requestWillBeSent").compactMap {
      $0["request"]?["postData"]?.string
    }
  }

  /// What the browser complains of.
  public var complaints: [String] {
    browser.events(of: session, named: "Log.entryAdded").compactMap { $0["entry"]?["text"]?.string }
  }
}
