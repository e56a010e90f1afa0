import RallyDomain
import RallySystem
import TerminalKit

/// A question that the person did not ask for. A line says that it waits, and a key of its own
/// opens it, so that it takes no key of the screen below.
struct WaitingQuestion: Identifiable {
  let id: String
  /// Whether it can still be answered.
  var isStill: @MainActor () -> Bool = { true }
  var open: @MainActor () -> Void
}

/// Opening the question that waits, on every tab.
struct WaitingQuestionActions: View {
  let content: AnyView

  @Environment(\.interface) private var interface

  var body: some View { content.actions(Self.all, in: self) }

  private func openNewest() {
    guard let question = interface.newestWaiting else { return }
    interface.forget(question.id)
    question.open()
  }
}

extension WaitingQuestionActions {
  static let open = FeatureAction<Self>(
    id: "questions.open", name: "question", title: "what waits",
    summary: "Open the question that waits: whether you are on your way, or a link that came.",
    keys: ["g w"], section: "Everywhere", footer: 117,
    shown: { $0.interface.newestWaiting != nil }, run: { $0.openNewest() })

  static let all = [open]
}

extension View {
  func waitingQuestionActions() -> some View { WaitingQuestionActions(content: AnyView(self)) }
}

extension Interface {
  /// The newest question that can still be answered; nil when none waits.
  var newestWaiting: WaitingQuestion? { waiting.last { $0.isStill() } }

  /// Says that a question waits, in the place of an earlier one about the same.
  func wait(with question: WaitingQuestion, saying sentence: String) {
    forget(question.id)
    waiting.append(question)
    say(sentence)
  }

  func forget(_ id: WaitingQuestion.ID) {
    waiting.removeAll { $0.id == id || !$0.isStill() }
  }
}

extension TerminalControl {
  /// Returns once no key came for this time; at once where none ever came.
  ///
  /// What opens by itself waits for it: the next key of somebody who types is not meant for it.
  func quiet(for time: Duration) async {
    while let due = lastInputAt?.advanced(by: time), due > .now {
      guard (try? await DispatchSleep.until(due)) != nil else { return }
    }
  }
}
