import FoundationEssentials
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords
import TerminalKit

/// What became of a mission, to be looked at, copied and saved.
struct MissionCardSheet: View {
  let missionID: UUID

  @Environment(\.capabilities) private var capabilities
  @Environment(\.interface) private var interface
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.placeNames) private var placeNames
  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    let lines = card?.lines(width: min(Self.width, terminalSize.width) - 4) ?? []
    let shown = lines.prefix(max(3, terminalSize.height - 8))
    Box(title: "Mission completed") {
      VStack(spacing: 0) {
        if lines.isEmpty {
          Paragraph("This mission no longer exists, or you cannot see it.", .dim)
        }
        ForEach(Array(shown.enumerated()), id: \.offset) { index, line in
          Text(line, index == 0 ? .title : .normal)
        }
        if lines.count > shown.count {
          Text("and \((lines.count - shown.count).counted("line")) more", .dim)
        }
        Text("")
        KeyHints([(.copy, "copy"), (Self.save.action, "save as SVG"), (.back, "close")])
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: Self.width)
    // Enter closes it as Esc does.
    .showsHints(of: [Action.submit.id])
    .onCopy(disabled: card == nil ? "There is nothing to copy here." : nil) {
      card.map { Clipping(text: $0.text(), title: "the card of \($0.title)") }
    }
    .actions(Self.all, in: self)
  }

  /// Cells.
  private static let width = 72

  private var card: MissionCard? {
    missionsStore.mission(missionID).map {
      MissionCard($0, place: placeNames.name(at: $0.centre), now: .now)
    }
  }

  private var saveProblem: String? {
    guard capabilities.contains(.hostFiles) else {
      return "Nothing is written on this host over SSH; copy the card instead."
    }
    return card == nil ? "There is no card." : nil
  }

  private func save() {
    guard let card, saveProblem == nil else { return }
    let interface = interface
    Task {
      do {
        let path = try await MissionCardFile.save(card)
        interface.say("Saved the card as \(path.cleanedForDisplay).", kind: .success)
      } catch {
        interface.say(
          "The card cannot be saved in this folder: `rally missions card` takes another one.",
          kind: .failure)
      }
    }
  }
}

extension MissionCardSheet {
  static let save = FeatureAction<Self>(
    id: "missions.save-card", name: "save-card", title: "save as SVG",
    summary: "Save the card as an SVG file in the folder that Rally was started in.", keys: ["S"],
    section: "Missions", footer: 25, disabled: { $0.saveProblem },
    run: { $0.save() })

  static let all: [FeatureAction<Self>] = [
    FeatureAction(.submit, run: { $0.interface.overlay = nil }),
    FeatureAction(.leave, run: { $0.interface.overlay = nil }),
    save,
  ]
}

/// The file that a card is saved as.
nonisolated enum MissionCardFile {
  /// Writes the card beside what is there; no file is replaced.
  ///
  /// - Parameter folder: The folder that Rally was started in, if no other one is given.
  /// - Returns: The path of the new file.
  /// - Throws: `FileError` if the folder takes no file.
  @concurrent static func save(
    _ card: MissionCard, in folder: String = FileManager.default.currentDirectoryPath
  ) async throws -> String {
    let data = Data(card.svg().utf8)
    return try ChosenFiles.create(
      data,
      at: (1...1000).lazy.map { "\(folder)/\(name(card))\($0 == 1 ? "" : "-\($0)").svg" })
  }

  /// `lanterns-of-alfama`: letters and digits of the title that every file system takes.
  private static func name(_ card: MissionCard) -> String {
    let words = card.title.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    return words.isEmpty ? "mission" : String(words.joined(separator: "-").prefix(60))
  }
}
