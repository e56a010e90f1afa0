import FoundationEssentials
import RallyDomain
import RallyWire
import RallyWords
import TerminalKit

/// The actions of the person whom a list selects.
///
/// A sibling of the list that draws nothing: when the selection moves, only this body runs, not that of
/// the pane with all its rows.
struct SelectedPersonActions: View {
  let rows: PeopleRows
  let selection: Binding<PeopleRow.ID?>

  @Environment(\.mapStore) private var mapStore
  @State private var person = PersonReference()
  @State private var kept = KeptView<Offer>()

  var body: some View {
    if let entry = rows.selected(selection.wrappedValue) {
      offered(for: entry)
    }
  }

  /// The actions of somebody with whom the same can be done are kept.
  private func offered(for entry: PersonEntry) -> AnyView {
    person.entry = entry
    let offer = Offer(
      status: entry.status, isInFlight: entry.isInFlight,
      isOnMap: mapStore.position(of: entry.id) != nil,
      asker: entry.asksSince == nil ? nil : entry.id)
    return kept.view(of: offer) { [person] _ in PersonActions { person.entry ?? entry } }
  }

  /// What decides which actions there are.
  private struct Offer: Equatable {
    let status: FriendshipStatus
    let isInFlight: Bool
    let isOnMap: Bool
    let asker: UUID?
  }
}

/// The person whom the actions are for when a key is pressed.
private final class PersonReference {
  var entry: PersonEntry?
}

/// What can be done with a person, depending on the friendship; draws nothing.
struct PersonActions: View {
  /// The selected person when it is called; the same actions are possible for each it returns.
  let find: @MainActor () -> PersonEntry

  @Environment(\.actions) private var actions
  @Environment(\.socialStore) private var socialStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.navigationService) private var navigationService
  @Environment(\.interface) private var interface

  private var entry: PersonEntry { find() }
  private var undoKey: String { actions.table.way(to: .undo) }

  var body: some View {
    answering
      .actions(Self.all, in: self)
      .onCopy { Clipping(text: entry.profile.handle, title: entry.profile.handle) }
  }

  /// Answering this friend rather than the one who asked last.
  @ViewBuilder private var answering: AnyView {
    if entry.asksSince != nil {
      LocationAskActions(content: AnyView(EmptyView()), friendID: entry.id)
    }
  }

  private func accept() {
    let person = entry.profile
    interface.question = Question(
      id: Self.accept.id, title: "Accept \(person.displayName)?",
      consequences: ["You will be friends, and each sees when the other is online."],
      verb: "Accept", safeVerb: "Not now"
    ) {
      Task {
        if await interface.act(
          "Accepting a request",
          {
            await socialStore.respondToFriendRequest(person.id, action: .accept)
          }
        ).isDone {
          interface.say(OutcomeText.friends(person.handle), kind: .success)
        }
      }
    }
  }

  private func decline() {
    let person = entry.profile
    Task {
      await interface.act("Declining a request") {
        await socialStore.respondToFriendRequest(person.id, action: .decline)
      }
    }
  }

  private func ask() {
    let person = entry.profile
    let store = socialStore
    Task {
      let outcome = await interface.act(
        "Becoming friends",
        undoneBy: { status in
          guard status == .outgoing else { return nil }
          return UndoHistory.Command(
            label: "your request to \(person.handle)",
            undo: { await store.respondToFriendRequest(person.id, action: .cancel).isDone },
            redo: { await store.requestFriend(person).isDone })
        }
      ) { await store.requestFriend(person) }
      switch outcome.value {
      case .outgoing?:
        interface.say("\(OutcomeText.asked(person.handle))  \(undoKey) undo", kind: .success)
      case .friends?:
        interface.say(OutcomeText.friends(person.handle), kind: .success)
      case .some, nil: break
      }
    }
  }

  private func cancel() {
    let person = entry.profile
    let store = socialStore
    Task {
      let outcome = await interface.act(
        "Withdrawing a request",
        undoneBy: { _ in
          UndoHistory.Command(
            label: "the withdrawal of your request to \(person.handle)",
            undo: { await store.requestFriend(person).isDone },
            redo: { await store.respondToFriendRequest(person.id, action: .cancel).isDone })
        }
      ) { await store.respondToFriendRequest(person.id, action: .cancel) }
      guard outcome.isDone else { return }
      interface.say(
        "\(OutcomeText.withdrew(person.handle))  \(undoKey) undo", kind: .success)
    }
  }

  private func unfriend() {
    let person = entry.profile
    interface.question = Question(
      id: Self.unfriend.id, title: "Unfriend \(person.displayName)?",
      consequences: [
        "You no longer see each other here.",
        "To be friends again, one of you has to ask anew.",
      ],
      verb: "Unfriend", safeVerb: "Keep"
    ) {
      Task {
        if await interface.act("Unfriending", { await socialStore.unfriend(person) }).isDone {
          interface.say(OutcomeText.unfriended(person.handle))
        }
      }
    }
  }

  private func block() {
    let person = entry.profile
    interface.question = Question(
      id: Self.block.id, title: "Block \(person.displayName)?",
      consequences: [
        "Friendship and requests end, both ways, at once.",
        "\(person.handle) cannot find or ask you, and is not told.",
      ],
      verb: "Block", safeVerb: "Cancel"
    ) {
      Task {
        if await interface.act("Blocking", { await socialStore.block(person) }).isDone {
          interface.say(OutcomeText.blocked(person.handle))
        }
      }
    }
  }

  private func unblock() {
    let person = entry.profile
    Task {
      if await interface.act("Unblocking", { await socialStore.unblock(person) }).isDone {
        interface.say(OutcomeText.unblocked(person.handle), kind: .success)
      }
    }
  }

  /// The same for all friends: with a name in it, what the footer is made of would change with every
  /// move of the selection.
  private var notOnMap: String? {
    mapStore.position(of: entry.id) == nil ? "This friend shows you no position." : nil
  }

  private func showOnMap() {
    interface.overlay = nil
    mapStore.showFriend(entry.id)
    navigationService.select(.map)
  }
}

extension PersonActions {
  static let accept = person(
    id: "friends.accept", summary: "Accept the friend request; asks first.", keys: ["a"],
    footer: 230, for: [.incoming, .outgoing, .friends, .blocked],
    disabled: {
      $0.entry.status == .incoming
        ? nil : "This is no request: select one under “Requests for you”."
    }, run: { $0.accept() })
  static let ask = person(
    id: "friends.ask", summary: "Ask the person to be friends.", keys: ["a", "Enter"], footer: 240,
    for: [.none], run: { $0.ask() })
  static let decline = person(
    id: "friends.decline", summary: "Decline the friend request.", keys: ["x"], footer: 250,
    for: [.incoming], run: { $0.decline() })
  static let cancel = person(
    id: "friends.cancel", name: "cancel-request", title: "cancel",
    summary: "Withdraw your friend request.", keys: ["x"], footer: 260, for: [.outgoing],
    run: { $0.cancel() })
  static let unfriend = person(
    id: "friends.unfriend", summary: "End the friendship; asks first.", keys: ["x"], footer: 395,
    for: [.friends], run: { $0.unfriend() })
  static let unblock = person(
    id: "friends.unblock", summary: "Let the person find and ask you again.", keys: ["x"],
    footer: 280, for: [.blocked], run: { $0.unblock() })
  static let block = person(
    id: "friends.block",
    summary: "Block the person; friendship and requests end both ways. Asks first.", keys: ["B"],
    footer: 400, for: [.incoming, .outgoing, .friends, .none], run: { $0.block() })
  static let share = person(
    id: "friends.share", summary: "Choose how much of your position the friend sees.", keys: ["s"],
    footer: 246, for: [.friends], run: { $0.interface.overlay = .sharing($0.entry.id) })
  static let locate = person(
    id: "friends.locate", title: "where are you?", summary: "Ask the friend where they are.",
    keys: ["W"], otherSections: ["Map"], footer: 248, for: [.friends],
    run: { $0.socialStore.ask($0.entry.profile, sayingIn: $0.interface) })
  static let tell = person(
    id: "friends.tell", name: "tell-when", title: "tell me when",
    summary: "Begin a command that tells you when the friend is near.", keys: ["t"],
    for: [.friends],
    run: {
      $0.interface.openCommandLine(
        with: "tell \($0.entry.profile.username) \(LocationAlert.Condition.near.rawValue) ")
    })
  static let onMap = person(
    id: "friends.on-map", title: "on the map", summary: "Show where the friend is.", keys: ["o"],
    footer: 244, for: [.friends], disabled: { $0.notOnMap }, run: { $0.showOnMap() })

  static let all = [
    accept, ask, decline, cancel, unfriend, unblock, block, share, locate, tell, onMap,
  ]

  /// Those that the detail of a person lists, in its order.
  static func listed(for status: FriendshipStatus) -> [FeatureAction<Self>] {
    switch status {
    case .incoming: [accept, decline, block]
    case .outgoing: [cancel, block]
    case .friends: [onMap, locate, share, unfriend, block]
    case .blocked: [unblock]
    case .none: [ask, block]
    }
  }

  /// - Parameters:
  ///   - statuses: With which people it is shown.
  ///   - disabled: Why it is not available; no action is while the server has not answered.
  private static func person(
    id: ActionID, name: String? = nil, title: String? = nil, summary: String,
    keys: [KeySequence], otherSections: Set<String> = [],
    footer: FooterPlace? = nil, for statuses: Set<FriendshipStatus>,
    disabled: @escaping FeatureAction<Self>.Condition<String?> = { _ in nil },
    run: @escaping @MainActor (Self) -> Void
  ) -> FeatureAction<Self> {
    FeatureAction(
      id: id, name: name, title: title, summary: summary, keys: keys, section: "Friends",
      otherSections: otherSections, footer: footer, shown: { statuses.contains($0.entry.status) },
      disabled: {
        disabled($0) ?? ($0.entry.isInFlight ? "Wait for the server's answer first." : nil)
      }, run: run)
  }
}
