import RallyClient
import RallySystem
import RallyTOML
import RallyText
import RallyWire

// The only list of settings: reading, the sample file, `rally config dump` and the manual use it.

extension ConfigurationSetting {
  public static let all: [ConfigurationSetting] =
    hooks + interface + location + map + notifications + policy + server

  /// The tables of the file, including `keys`, in the order of the sample.
  public static let sections =
    all.map(\.section).reduce(into: []) { sections, section in
      if !sections.contains(section) { sections.append(section) }
    } + [keysSection]

  public static let keysSection = "keys"

  /// The documentation of a table, for the sample and the manual.
  public static func summary(ofSection section: String) -> String {
    switch section {
    case "hooks": hooksSummary
    case "interface": "What the screens look like and how they are driven."
    case "location": locationSummary
    case "map": "What the map is drawn with."
    case "notifications": notificationsSummary
    case "policy":
      "What you decide about the signals of the device, whatever it says itself. Over SSH they are "
        + "those of the host."
    case "server": "Which server to talk to instead of the embedded one."
    case keysSection:
      "Which keys lead to which action: one, a list of several, or \"none\". Keys that are pressed "
        + "one after the other are parted by a blank (\"g g\"); ^K is Ctrl and K, M-b is Alt and B. "
        + "What is not named keeps its keys. rally keys prints what there is."
    default: ""
    }
  }

  private static let interface = [
    word(
      "interface", "color",
      "When to use colours: auto asks the terminal and NO_COLOR. --color wins.", isLive: false,
      \.color),
    word(
      "interface", "theme",
      "What the screens look like: auto takes dark or light by the background of the terminal, "
        + "which it asks; terminal takes its text and background from the terminal itself.", \.theme
    ),
    word(
      "interface", "mouse",
      "When to take the mouse from the terminal, whose own selection does not work meanwhile: auto "
        + "does so on the map.", \.mouse),
    flag(
      "interface", "plain",
      "Draw for a screen reader, as --plain and RALLY_A11Y=1 do.", isLive: false, \.isPlain),
    flag(
      "interface", "title",
      "Name the terminal's window by what waits for you; its former title comes back.",
      \.hasTitle),
    flag(
      "interface", "motion",
      "Let a pin that comes to the map blink once, and the mark of a completed objective fill; never "
        + "over a slow link, nor while the device is constrained.", \.hasMotion),
    word(
      "interface", "emoji",
      "What to show of an emoji: its picture, or its name as text, like :party popper:.", \.emoji),
    word(
      "interface", "ambiguous_width",
      "How many cells your terminal gives to letters that are wide in East Asian text alone, such as "
        + "Greek and Cyrillic: narrow is one, wide is two. Change it where such letters overlap.",
      \.ambiguousWidth),
  ]

  private static let map = [
    word(
      "map", "glyphs",
      "Braille is the finest; sextants are solid, where the font has them; blocks are for fonts "
        + "without braille, ascii is for everything else; auto asks the terminal and the locale.",
      \.mapGlyphs),
    word(
      "map", "style",
      "Full paints land, water and parks where the theme has colours for them (dark and light, with "
        + "256 colours); plain draws lines and dots alone; auto is full until the device is "
        + "constrained.", \.mapStyle),
    ConfigurationSetting(
      section: "map", key: "source",
      summary:
        "Where rally map add CITY takes streets from that your group's server does not offer: "
        + "protomaps is Protomaps' daily build of the planet; else the address of a PMTiles file, "
        + "that of a list of builds like Protomaps' (it ends in .json), or the path of a PMTiles "
        + "file. The empty text is nowhere.",
      values: "\"protomaps\", an address, a path, or \"\"", isLive: true
    ) { value, file, configuration in
      guard let text = value.text else { return "Write source as text, like \"protomaps\"." }
      do throws(FieldProblem) {
        configuration.streetSource = try StreetSource(text) { file.absolute($0) }
        return nil
      } catch {
        return error.advice
      }
    } write: {
      TOMLValue.literal($0.streetSource.text)
    },
  ]

  private static let policy = [
    signal(.lowPower, "Whether to save power: lists and map are asked for less often."),
    signal(.thermal, "How hot the device is; from serious on as little as possible is done."),
    signal(.lowData, "Whether to save data."),
    signal(.expensive, "Whether the network costs: the map is asked for less often."),
    signal(.network, "Whether there is a network at all."),
  ]

  private static let server = [
    ConfigurationSetting(
      section: "server", key: "url",
      summary: "The address of a server, like https://rally.example.org; the empty text is the "
        + "embedded one.",
      values: "an address of http or https", isLive: false
    ) { value, _, configuration in
      guard let text = value.text else {
        return "Write url as text, like \"https://rally.example.org\"."
      }
      do throws(FieldProblem) {
        configuration.serverURL = text.isEmpty ? nil : try ServerURL(text)
        return nil
      } catch {
        return error.advice
      }
    } write: {
      TOMLValue.literal($0.serverURL?.description ?? "")
    },
    ConfigurationSetting(
      section: "server", key: "key_file",
      summary:
        "The file that holds the server's API key, alone. ~ is your home folder; other paths "
        + "start beside this file.",
      values: "a path", isLive: false
    ) { value, file, configuration in
      guard let path = value.text else { return "Write key_file as text: the path of a file." }
      configuration.serverKeyFile = path.isEmpty ? nil : file.absolute(path)
      return nil
    } write: {
      TOMLValue.literal($0.serverKeyFile ?? "")
    },
    flag(
      "server", "insecure",
      "Speak plain http to url although its address is public, as --insecure does: anybody on the "
        + "way can read passwords.", isLive: false, \.isServerInsecure),
  ]
}

extension ConfigurationFile {
  /// Resolves a path in the file: `~` is the home folder; other relative paths start at the file's
  /// folder.
  func absolute(_ path: String) -> String {
    let path = HomeFolder.expanding(path)
    return path.hasPrefix("/") ? path : "\(self.path.parentPath)/\(path)"
  }
}

extension ConfigurationSetting {
  static let locationSummary =
    "What measures where this device is, while you share a position or look at the map. "
    + "rally where --sources shows what each one says."

  static let location = [
    word(
      "location", "geoclue",
      "Whether to ask GeoClue, the location service of desktops: auto does so in a desktop session "
        + "at this machine, not over SSH. The desktop's own switch for location decides too. "
        + "RALLY_GEOCLUE wins.", isLive: false, \.geoClue),
    ConfigurationSetting(
      section: "location", key: "gpsd",
      summary: "Where gpsd listens, as host:port; the empty text is off. RALLY_GPSD wins.",
      values: "an address like \"127.0.0.1:2947\", or \"\"", isLive: false
    ) { value, _, configuration in
      let advice = "Write gpsd as text: an address like \"127.0.0.1:2947\", or \"\" for none."
      guard let text = value.text else { return advice }
      if text.isEmpty {
        configuration.gpsd = nil
        return nil
      }
      guard let address = GPSDAddress(text) else { return advice }
      configuration.gpsd = address
      return nil
    } write: {
      TOMLValue.literal($0.gpsd?.description ?? "")
    },
  ]

  static let notificationsSummary =
    "What you are told while you look elsewhere. Nothing is told that the screen shows itself, and "
    + "nothing from before the start; rally notify --test shows what your terminal makes of it."

  static let notifications = [
    word(
      "notifications", "way",
      "How a notification leaves Rally: auto takes the desktop where its bus is reached, else what the "
        + "terminal is known to understand, else its bell.", \.notifications.way),
    word(
      "notifications", "requests",
      "For friend requests, for those who accepted yours, and for friends who ask where you are or "
        + "begin to show you where they are, and for alerts (:tell): a message, the bell alone, or "
        + "nothing.",
      \.notifications.requests),
    word(
      "notifications", "messages", "For what others say in missions of yours.",
      \.notifications.messages),
    word(
      "notifications", "missions",
      "For invitations to missions, for who arrives at one, and for their completion.",
      \.notifications.missions),
    quiet, mute,
  ]

  private static let quiet = ConfigurationSetting(
    section: "notifications", key: "quiet",
    summary: "Hours without any notification, by the clock of this machine; the empty text is "
      + "none.",
    values: "two times like \"22:00-07:00\"", isLive: true
  ) { value, _, configuration in
    guard let text = value.text else {
      return "Write quiet as text: two times like \"22:00-07:00\"."
    }
    if text.isEmpty {
      configuration.notifications.quiet = nil
      return nil
    }
    guard let quiet = QuietHours(text) else {
      return "Set quiet to two different times of 24 hours, like \"22:00-07:00\"."
    }
    configuration.notifications.quiet = quiet
    return nil
  } write: {
    TOMLValue.literal($0.notifications.quiet?.description ?? "")
  }

  private static let mute = ConfigurationSetting(
    section: "notifications", key: "mute",
    summary: "People of whom you are told nothing; they do not learn of it.",
    values: "a list of usernames, like [\"kenji\"]", isLive: true
  ) { value, _, configuration in
    let advice = "Write mute as a list of usernames, like [\"kenji\"]."
    guard case .list(let values) = value else { return advice }
    var muted: [Username] = []
    for value in values {
      guard let text = value.text else { return advice }
      do throws(FieldProblem) {
        let name = try Username(text)
        if !muted.contains(name) { muted.append(name) }
      } catch {
        return "“\(text.cleanedForDisplay)” is no username. \(error.advice)"
      }
    }
    configuration.notifications.muted = muted
    return nil
  } write: { configuration in
    let names = configuration.notifications.muted.map { TOMLValue.literal($0.value) }
    return "[\(names.joined(separator: ", "))]"
  }

  static let hooksSummary =
    "Programs that the open interface runs when others do something: a list of the program and its "
    + "arguments, without a shell. The event comes as a line of JSON on standard input. A program "
    + "has ten seconds; its end stands in the log. Quiet hours do not hold for hooks, muted people "
    + "do. Over SSH at a Rally host there are none."

  static let hooks = [
    hook(
      .request,
      "For friend requests, for those who accepted yours, and for friends who ask where you are."),
    hook(
      .arrival,
      "For friends who begin to show you where they are, or show more of it, for alerts (:tell), and "
        + "for who arrives at a mission."
    ),
    hook(.message, "For what others say in missions of yours."),
    hook(.mission, "For invitations to missions, and for their completion."),
    hook(.policy, "For a change of the policy level, at every level."),
  ]

  /// The most words of a command, and bytes of each.
  private static let (longestCommand, longestWord) = (64, 4096)

  private static func hook(_ hook: Hook, _ summary: String) -> ConfigurationSetting {
    ConfigurationSetting(
      section: "hooks", key: hook.key, summary: summary,
      values: "a list like [\"notify-send\", \"Rally\"], or [] for none", isLive: true
    ) { value, _, configuration in
      let advice =
        "Write \(hook.key) as a list of a program and its arguments, like"
        + " [\"notify-send\", \"Rally\"]."
      guard case .list(let values) = value else { return advice }
      let words = values.compactMap(\.text)
      guard words.count == values.count, words.count <= longestCommand,
        words.allSatisfy({ $0.utf8.count <= longestWord && !$0.contains("\0") }),
        words.first?.isEmpty != true
      else { return advice }
      configuration.hooks[hook] = words.isEmpty ? nil : words
      return nil
    } write: { configuration in
      "[\((configuration.hooks[hook] ?? []).map(TOMLValue.literal).joined(separator: ", "))]"
    }
  }
}
