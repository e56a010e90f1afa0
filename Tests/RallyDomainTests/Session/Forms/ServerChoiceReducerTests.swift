import Foundation
import RallyState
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

@MainActor
@Suite struct ServerChoiceReducerTests {
  private func makeStore(
    address: String, key: String = "", allowsPlainHTTP: Bool = false
  ) -> Store<ServerChoiceReducer> {
    let store = Store<ServerChoiceReducer>(
      initialState: .init(),
      environment: .init(allowsPlainHTTP: allowsPlainHTTP) {
        if !$0.isSecure, $0.host != "localhost" { throw NetworkError.plainText(host: $0.host) }
      })
    store.setValue(address, at: \.address)
    store.setValue(key, at: \.key)
    return store
  }

  @Test func `an empty address is this machine's own server, a link is taken as one`() async throws
  {
    let own = makeStore(address: " ")
    await own.send(.submit)
    #expect(own.choice.value == .server(.embedded))
    let link = "https://rally.example.org/i#ABCDEFGHJKMNPQRS"
    let invited = makeStore(address: link)
    await invited.send(.submit)
    #expect(invited.choice.value == .link(link))
  }

  @Test func `Enter goes on to the key, and misses it only there`() async throws {
    let store = makeStore(address: "https://rally.example.org")
    await store.send(.submit)
    #expect(store.isKeyFocused)
    #expect(store.choice.isIdle)
    await store.send(.submit)
    #expect(store.state.problem?.advice == "This server needs its API key.")
    store.setValue("key", at: \.key)
    #expect(store.state.problem == nil)
    await store.send(.submit)
    let url = try ServerURL("https://rally.example.org")
    #expect(store.choice.value == .server(.remote(url, key: "key")))
  }

  @Test func `what is no address says so on its field`() async {
    let store = makeStore(address: "ftp://rally.example.org", key: "key")
    await store.send(.submit)
    #expect(store.state.problem?.field == .server)
  }

  @Test func `a public server without TLS is refused, unless that was said`() async throws {
    let store = makeStore(address: "http://203.0.113.9", key: "key")
    await store.send(.submit)
    #expect(
      store.state.problem?.advice == NetworkError.plainText(host: "203.0.113.9").sentence)
    let insecure = makeStore(address: "http://203.0.113.9", key: "key", allowsPlainHTTP: true)
    await insecure.send(.submit)
    let url = try ServerURL("http://203.0.113.9")
    #expect(insecure.choice.value == .server(.remote(url, key: "key", allowsPlain: true)))
  }
}
