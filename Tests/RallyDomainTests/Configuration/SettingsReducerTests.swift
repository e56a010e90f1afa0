import RallyState
import Testing

@testable import RallyDomain
@testable import RallySystem

@MainActor
struct SettingsReducerTests {
  @MainActor private final class Applied {
    var preferences: [InterfacePreferences] = []
  }

  private let applied = Applied()

  private func makeStore(
    _ preferences: InterfacePreferences = InterfacePreferences()
  ) -> Store<SettingsReducer> {
    let applied = applied
    return Store(
      initialState: SettingsReducer.State(preferences),
      environment: .init { applied.preferences.append($0) })
  }

  @Test func `every change holds at once, and goes around`() async {
    let store = makeStore()
    for _ in 0..<3 { await store.send(.cycle(.mouse, by: 1)) }
    #expect(applied.preferences.map(\.mouse) == [.on, .off, .auto])
    await store.send(.cycle(.mouse, by: -1))
    #expect(applied.preferences.last?.mouse == .off)
  }

  @Test(arguments: SettingsReducer.Setting.allCases)
  func `every row goes through all of its choices`(_ setting: SettingsReducer.Setting) async {
    let store = makeStore()
    var seen: [String] = []
    for _ in setting.choices {
      seen.append(store.state.choice(of: setting))
      await store.send(.cycle(setting, by: 1))
    }
    #expect(seen == setting.choices)
    #expect(store.state.choice(of: setting) == setting.choices.first)
  }

  @Test func `a theme is tried, and the line that keeps it goes along`() async {
    let store = makeStore()
    #expect(store.state.configurationLine(of: .theme) == "[interface] theme = \"auto\"")
    await store.send(.cycle(.theme, by: 1))
    await store.send(.cycle(.theme, by: -1))
    await store.send(.cycle(.theme, by: -1))
    #expect(applied.preferences.map(\.theme) == [.dark, .auto, .terminal])
    #expect(store.state.configurationLine(of: .theme) == "[interface] theme = \"terminal\"")
    await store.send(.undo)
    #expect(applied.preferences.last?.theme == .auto)
  }

  @Test(arguments: SettingsReducer.Setting.allCases)
  func `the configuration reads the line that keeps a row`(
    _ setting: SettingsReducer.Setting
  ) async throws {
    let store = makeStore()
    await store.send(.cycle(setting, by: 1))
    let line = store.state.configurationLine(of: setting).replacing("] ", with: "]\n")
    let reading = try ConfigurationReader(line, file: ConfigurationFile(path: "config.toml"))
      .reading
    #expect(reading.problems.isEmpty)
    #expect(InterfacePreferences(reading.configuration) == store.preferences)
    #expect(store.state.unkept(in: reading.configuration).isEmpty)
    let unkept = store.state.unkept(in: Configuration())
    #expect(unkept.map(\.setting.key) == [setting.key])
  }

  @Test func `a signal is overridden, and undone`() async {
    let store = makeStore()
    await store.send(.cycle(.signal(.lowPower), by: 1))
    #expect(applied.preferences.last?.policy.lowPower == true)
    await store.send(.undo)
    #expect(applied.preferences.last?.policy.lowPower == nil)
    await store.send(.redo)
    #expect(applied.preferences.last?.policy.lowPower == true)
  }

  @Test func `what changed outside of the form is shown when it opens`() async {
    let store = makeStore()
    await store.send(.cycle(.mouse, by: 1))
    await store.send(.open(InterfacePreferences(mouse: .on)))
    #expect(store.canUndo)
    await store.send(.open(InterfacePreferences(mouse: .off)))
    #expect(store.state.choice(of: .mouse) == "off")
    #expect(!store.canUndo)
    #expect(applied.preferences.count == 1)
  }
}
