import Observation
import RallyDomain
import RallyEnvironment
import RallyMap
import RallySystem
import RallyWords
import TerminalKit

/// The configuration of the running interface, as it was read last.
@Observable
public final class ConfigurationChanges {
  public private(set) var configuration: Configuration
  /// What is wrong with the configuration as it was at the start.
  @ObservationIgnored let problems: [ConfigurationProblem]
  @ObservationIgnored private let reading: ConfigurationLoadResult
  @ObservationIgnored private let watch: ConfigurationWatch?
  @ObservationIgnored private let environment: [String: String]?
  /// What this interface wrote itself, which is no news.
  @ObservationIgnored private var kept: ConfigurationLoadResult?

  /// - Parameters:
  ///   - reading: The configuration at the start.
  ///   - problems: What is wrong with it, keys included.
  ///   - watch: Where changes come from; nil follows nothing.
  ///   - environment: What the map's glyphs are chosen by; nil leaves them to the caller.
  public init(
    _ reading: ConfigurationLoadResult, problems: [ConfigurationProblem],
    watch: ConfigurationWatch? = nil, environment: [String: String]? = nil
  ) {
    configuration = reading.configuration
    self.problems = problems
    self.reading = reading
    self.watch = watch
    self.environment = environment
    TextWidths.current = TextWidths(reading.configuration)
  }

  var mapGlyphs: GlyphSet? {
    environment.map { GlyphSet(configuration.mapGlyphs, environment: $0) }
  }

  /// The path of the configuration, for problems.
  var file: String { watch?.file ?? "" }

  /// Whether settings can be kept: not where the person named a configuration.
  var canKeep: Bool { watch?.service.settingsFile != nil }

  /// Keeps settings for the next start; the watch then brings the reading that counts.
  ///
  /// - Throws: As `ConfigurationService.keep` does.
  /// - Returns: What the person's configuration overrides of them.
  func keep(_ settings: [KeptSetting]) async throws -> [ConfigurationOverride] {
    guard let service = watch?.service else { return [] }
    let reading = try await Self.keep(settings, service)
    kept = reading
    let names = Set(settings.map(\.setting.name))
    return reading.overrides.filter { names.contains($0.name) }
  }

  @concurrent private static func keep(
    _ settings: [KeptSetting], _ service: ConfigurationService
  ) async throws -> ConfigurationLoadResult {
    try service.keep(settings)
  }

  /// Whether this interface wrote this itself, and nobody else anything since.
  func isOwn(_ reading: ConfigurationLoadResult) -> Bool { reading == kept }

  /// Every later reading, as the file is saved.
  func readings() -> AsyncStream<ConfigurationLoadResult> {
    watch?.changes(since: reading) ?? AsyncStream { $0.finish() }
  }

  /// Takes what counts at once, and says what only counts from the next start.
  ///
  /// - Returns: Settings that were changed and need a new start, as `interface.color`.
  func take(_ changed: Configuration) -> [String] {
    let former = configuration
    configuration = changed
    return ConfigurationSetting.all
      .filter { !$0.isLive && $0.value(in: former) != $0.value(in: changed) }
      .map { "\($0.section).\($0.key)" }
  }
}

extension TextWidths {
  /// What the configuration says about this terminal.
  public init(_ configuration: Configuration) {
    self.init(
      isAmbiguousWide: configuration.ambiguousWidth == .wide,
      spellsEmoji: configuration.emoji == .text)
  }
}

private struct ConfigurationChangesKey: EnvironmentKey {
  static let defaultValue: ConfigurationChanges? = nil
}

extension EnvironmentValues {
  /// What keeps settings; nil in a view that stands alone.
  var configurationChanges: ConfigurationChanges? {
    get { self[ConfigurationChangesKey.self] }
    set { self[ConfigurationChangesKey.self] = newValue }
  }
}
