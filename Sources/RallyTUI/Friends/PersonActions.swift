import RallyDomain
import RallyWire
import TerminalKit

extension View {
  /// Offers an action only under a condition, without changing what the view is made of.
  func onAction(
    _ id: ActionID, if isOffered: Bool, disabled: String? = nil,
    _ run: @escaping @MainActor () -> Void
  ) -> some View {
    HandlerView(
      content: AnyView(self),
      actions: isOffered
        ? [ActionHandler(id, disabled: disabled, run)] : [])
  }
}

/// Offers what can be done with the selected person, by how we stand to each other.
///
/// It stands beside the list and takes no room: moving the selection then runs this body, and not
/// that of the pane with all its rows.
struct SelectedPersonActions: View {
  let rows: PeopleRows
  let selection: Binding<PeopleRow.ID?>

  @Environment(\.actions) private var catalog
  @Environment(\.socialStore) private var socialStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.navigationService) private var navigationService
  @Environment(\.interface) private var interface

  private var undoKey: String { catalog.table.way(to: .undo) }

  /// Read in the body and when a key acts.
  private var entry: PersonEntry? { rows.entry(of: selection.wrappedValue) }

  var body: some View {
    if entry == nil {
      EmptyView()
    } else {
      EmptyView()
        .onActions(entry.map(actions) ?? [])
        .onCopy { entry.map { Clipping(text: $0.profile.handle, title: $0.profile.handle) } }
    }
  }

  private func actions(for entry: PersonEntry) -> [ActionHandler] {
    let settling = entry.isSettling ? "Wait for the server's answer first." : nil
    func act(
      _ id: ActionID, disabled: String? = nil, _ run: @escaping @MainActor () -> Void
    ) -> ActionHandler {
      ActionHandler(id, disabled: disabled ?? settling, run)
    }
    let cannotAccept = act(
      .friendsAccept, disabled: "Nobody asks here: select a request for you."
    ) {}
    let block = act(.friendsBlock) { self.block() }
    switch entry.status {
    case .incoming:
      return [act(.friendsAccept) { accept() }, act(.friendsDecline) { decline() }, block]
    case .outgoing: return [cannotAccept, act(.friendsCancel) { cancel() }, block]
    case .friends:
      let isOnMap = mapStore.position(of: entry.id) != nil
      return [
        cannotAccept, act(.friendsUnfriend) { unfriend() }, block,
        act(.friendsShare) { interface.overlay = .sharing(entry.id) },
        act(
          .friendsOnMap,
          disabled: isOnMap ? nil : "\(entry.profile.handle) shows you no position."
        ) {
          mapStore.showFriend(entry.id)
          navigationService.select(.map)
        },
      ]
    case .blocked: return [cannotAccept, act(.friendsUnblock) { unblock() }]
    case .none: return [act(.friendsAsk) { ask() }, block]
    }
  }

  private func accept() {
    guard let person = entry?.profile else { return }
    interface.question = Question(
      id: .friendsAccept, title: "Accept \(person.displayName)?",
      consequences: ["You will be friends, and each sees when the other is online."],
      verb: "Accept", safeVerb: "Not now"
    ) {
      Task {
        if await socialStore.respondToFriendRequest(person.id, action: .accept).isDone {
          interface.say("You and \(person.handle) are friends now.", kind: .success)
        }
      }
    }
  }

  private func decline() {
    guard let person = entry?.profile else { return }
    Task { await socialStore.respondToFriendRequest(person.id, action: .decline) }
  }

  private func ask() {
    guard let person = entry?.profile else { return }
    let store = socialStore
    Task {
      switch await store.requestFriend(person.id).value {
      case .outgoing?:
        interface.say("You asked \(person.handle).  \(undoKey) undo", kind: .success)
        interface.history.note(
          ActHistory.Act(
            label: "your request to \(person.handle)",
            undo: { await store.respondToFriendRequest(person.id, action: .cancel).isDone },
            redo: { await store.requestFriend(person.id).isDone }))
      case .friends?:
        interface.say("You and \(person.handle) are friends now.", kind: .success)
      case .some, nil: break
      }
    }
  }

  private func cancel() {
    guard let person = entry?.profile else { return }
    let store = socialStore
    Task {
      if await store.respondToFriendRequest(person.id, action: .cancel).isDone {
        interface.say(
          "You withdrew your request to \(person.handle).  \(undoKey) undo", kind: .success)
        interface.history.note(
          ActHistory.Act(
            label: "the withdrawal of your request to \(person.handle)",
            undo: { await store.requestFriend(person.id).isDone },
            redo: { await store.respondToFriendRequest(person.id, action: .cancel).isDone }))
      }
    }
  }

  private func unfriend() {
    guard let person = entry?.profile else { return }
    interface.question = Question(
      id: .friendsUnfriend, title: "Unfriend \(person.displayName)?",
      consequences: [
        "You no longer see each other here.",
        "To be friends again, one of you has to ask anew.",
      ],
      verb: "Unfriend", safeVerb: "Keep"
    ) {
      Task {
        if await socialStore.unfriend(person).isDone {
          interface.say("You and \(person.handle) are no longer friends.")
        }
      }
    }
  }

  private func block() {
    guard let person = entry?.profile else { return }
    interface.question = Question(
      id: .friendsBlock, title: "Block \(person.displayName)?",
      consequences: [
        "Friendship and requests end, both ways, at once.",
        "\(person.handle) cannot find or ask you, and is not told.",
      ],
      verb: "Block", safeVerb: "Cancel"
    ) {
      Task {
        if await socialStore.block(person).isDone { interface.say("You block \(person.handle).") }
      }
    }
  }

  private func unblock() {
    guard let person = entry?.profile else { return }
    Task {
      if await socialStore.unblock(person).isDone {
        interface.say("You no longer block \(person.handle).", kind: .success)
      }
    }
  }
}
