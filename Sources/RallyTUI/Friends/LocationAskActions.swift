import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// Answering and dismissing friends' questions where I am, on every tab while one waits.
struct LocationAskActions: View {
  let content: AnyView
  /// Whose question is meant if they ask; otherwise that of the pin selected on the map, or the
  /// newest.
  var friendID: UUID?

  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.navigationService) private var navigationService
  @Environment(\.socialStore) private var socialStore

  var body: some View { content.actions(Self.all, in: self) }

  private var asker: CommunityProfile? {
    let asks = socialStore.locationAsks
    guard !asks.incoming.isEmpty else { return nil }
    let pin = navigationService.selectedTab == .map ? mapStore.selectedID : nil
    let meant = [friendID, pin].compactMap(\.self).filter { asks.incoming[$0] != nil }
    return (meant + asks.askers).lazy.compactMap { id in
      socialStore.friends.first { $0.id == id }
    }.first
  }

  /// Says what it means before it is done where it means more than an hour's share.
  private func answer() {
    guard let friend = asker else { return }
    guard locationSharingStore.ghostPhase != .pending else {
      let key = actions.table.way(to: Action.ghost.id)
      return interface.say("You are becoming a ghost. \(key) takes that back; answer then.")
    }
    guard let answer = locationSharingStore.answer(to: friend.id) else {
      return interface.say("What you share is not known yet; the server was not reached.")
    }
    guard !answer.caveats.isEmpty else { return send(answer, to: friend) }
    let shown = answer.setting.map { "They see you \($0.sentence(at: .now))." }
    interface.question = Question(
      id: Self.answer.id, title: "Show \(friend.displayName) where you are?",
      consequences: [shown ?? "They see you already."] + answer.caveats, verb: "Show",
      safeVerb: "Not now"
    ) { send(answer, to: friend) }
  }

  private func send(_ answer: LocationAnswer, to friend: CommunityProfile) {
    let (sharing, social, interface) = (locationSharingStore, socialStore, interface)
    let undoKey = actions.table.way(to: .undo)
    Task {
      if let setting = answer.setting {
        let outcome = await interface.act(
          "Your answer", undoneBy: { .sharing("your answer to \(friend.handle)", $0, of: sharing) }
        ) {
          await sharing.decideSharing(setting.mode, for: friend.id, until: setting.until)
        }
        guard outcome.isDone else { return }
        let sees = SeenText.sentence(
          friend.handle, sees: "you \(setting.sentence(at: .now))", in: setting.mode,
          isPlaceKnown: sharing.isPlaceKnown)
        interface.say("\(sees).  \(undoKey) undo", kind: .success)
        await social.closeLocationAsk(of: friend.id)
      } else if await interface.act(
        "Your answer",
        {
          await social.closeLocationAsk(of: friend.id)
        }
      ).isDone {
        interface.say(
          sharing.isPlaceKnown
            ? "\(friend.handle) sees you already."
            : "\(friend.handle) will see you once you say where you are.", kind: .success)
      }
      await sharing.publishIfChanged(isShown: true)
    }
  }

  private func dismiss() {
    guard let friend = asker else { return }
    let (social, interface) = (socialStore, interface)
    Task {
      if await interface.act(
        "Dismissing a question",
        {
          await social.closeLocationAsk(of: friend.id)
        }
      ).isDone {
        interface.say(OutcomeText.dismissed(friend.handle))
      }
    }
  }
}

extension LocationAskActions {
  static let answer = FeatureAction<Self>(
    id: "asks.answer", name: "answer", title: "show them",
    summary: "Answer a friend who asks where you are: they see you for an hour.", keys: ["A"],
    section: "Everywhere", footer: 112, shown: { $0.asker != nil }, run: { $0.answer() })
  static let dismiss = FeatureAction<Self>(
    id: "asks.dismiss", name: "dismiss", title: "dismiss",
    summary: "Dismiss a friend's question where you are; they are not told.", keys: ["X"],
    section: "Everywhere", footer: 115, shown: { $0.asker != nil }, run: { $0.dismiss() })

  static let all = [answer, dismiss]
}

extension View {
  func locationAskActions() -> some View { LocationAskActions(content: AnyView(self)) }
}

extension SocialStore {
  /// Asks a friend where they are, and says so; or says that they were asked a moment ago.
  func ask(_ friend: CommunityProfile, sayingIn interface: Interface) {
    let now = WireTime.now
    if locationAsks.isPaused(friend.id, at: now), let asked = locationAsks.outgoing[friend.id] {
      return interface.say("You asked \(friend.handle) \(Age.sentenceByMinute(asked, at: now)).")
    }
    Task {
      if await interface.act("A question", { await askLocation(of: friend) }).isDone {
        interface.say(OutcomeText.askedWhere(friend.handle), kind: .success)
      }
    }
  }
}
