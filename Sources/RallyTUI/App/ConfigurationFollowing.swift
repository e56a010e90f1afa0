import RallyDomain
import RallyEnvironment
import RallySystem
import RallyWords
import TerminalKit

/// Lets the interface obey the configuration from the moment that it is saved.
struct ConfigurationFollowing: View {
  let content: AnyView
  let changes: ConfigurationChanges

  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator
  @Environment(\.terminal) private var terminal

  var body: some View {
    // Read here, where it is observed; the closure runs outside of the body.
    let (configuration, mapGlyphs) = (changes.configuration, changes.mapGlyphs)
    content
      .environment { values in
        values.configuration = configuration
        values.configurationChanges = changes
        if let mapGlyphs { values.mapGlyphs = mapGlyphs }
      }
      .task {
        say(changes.problems)
        for await reading in changes.readings() { take(reading) }
      }
  }

  private func take(_ reading: ConfigurationLoadResult) {
    if reading.isBroken {
      for problem in reading.problems {
        interface.say("\(problem.shortDescription) The settings stay as they were.", kind: .failure)
      }
      return
    }
    let former = changes.configuration
    let waiting = changes.take(reading.configuration)
    let keyMap = KeyMap(bindings: reading.configuration.keys, file: changes.file)
    actions.rebind(keyMap.table)
    override(from: former.policy, to: reading.configuration.policy)
    if former.mouse != reading.configuration.mouse {
      interface.isMouseWanted = reading.configuration.mouse.isWanted
    }
    if former.theme != reading.configuration.theme {
      interface.theme = reading.configuration.theme
      terminal.setTheme(reading.configuration.theme.choice)
    }
    let widths = TextWidths(reading.configuration)
    if widths != TextWidths(former) {
      TextWidths.current = widths
      terminal.invalidateLayout()
    }
    if !changes.isOwn(reading) { interface.say("The configuration was read again.") }
    if !waiting.isEmpty {
      interface.say("\(waiting.joined(separator: ", ")) takes effect at the next start.")
    }
    say(reading.problems + keyMap.problems)
  }

  /// The last one said is the one that is seen: the first of the file.
  private func say(_ problems: [ConfigurationProblem]) {
    for problem in problems.reversed() {
      interface.say(problem.shortDescription, kind: .warning)
    }
  }

  /// Applies only settings that changed in the file; others keep the overrides of `:policy`.
  private func override(from former: PolicyOverrides, to changed: PolicyOverrides) {
    var overrides = runtimePolicyCoordinator.overrides
    for signal in PolicySignal.allCases
    where former.setting(of: signal) != changed.setting(of: signal) {
      // The words come from `setting(of:)`, so `set` takes them.
      try? overrides.set(signal, to: changed.setting(of: signal) ?? "auto")
    }
    if overrides != runtimePolicyCoordinator.overrides {
      runtimePolicyCoordinator.overrides = overrides
    }
  }
}
