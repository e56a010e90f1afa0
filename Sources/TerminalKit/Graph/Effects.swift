import Dispatch

/// Work tied to a node; cancelled when the node is removed.
@MainActor package protocol NodeEffects: AnyObject {
  func cancel()
}

@MainActor final class TaskEffect: NodeEffects {
  /// The id of the last update.
  var seen: AnyObject?
  /// Grows with each task that is to start.
  var turn = 0
  var task: Task<Void, Never>?

  func cancel() {
    task?.cancel()
    task = nil
  }
}

struct TaskView: PrimitiveView {
  let content: AnyView
  let id: ChangeObserver
  let action: @MainActor () async -> Void

  init(content: AnyView, id: some Equatable, action: @escaping @MainActor () async -> Void) {
    self.content = content
    self.id = ChangeObserver(id) { _, _ in }
    self.action = action
  }

  public func update(_ node: Node) {
    node.child(content)
    let effect = node.effects as? TaskEffect ?? TaskEffect()
    node.effects = effect
    let former = effect.seen
    // The first id, and one of another type, replace what was seen.
    guard id.look(&effect.seen) != nil || effect.seen !== former else { return }
    effect.cancel()
    effect.turn += 1
    let (turn, action) = (effect.turn, action)
    node.graph.afterUpdate {
      guard effect.turn == turn, node.isAlive else { return }
      effect.task = Task { await action() }
    }
  }
}

/// An observed value with an action that runs when it differs between two runs of a body.
@MainActor public struct ChangeObserver {
  /// The last observed value.
  private final class Seen<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  /// Compares with the stored value and stores the current one. Returns the action if it changed;
  /// nil on the first call.
  fileprivate let look: @MainActor (_ seen: inout AnyObject?) -> (@MainActor () -> Void)?

  public init<Value: Equatable>(
    _ value: Value, _ action: @escaping @MainActor (_ old: Value, _ new: Value) -> Void
  ) {
    look = { seen in
      guard let before = seen as? Seen<Value> else {
        seen = Seen(value)
        return nil
      }
      let old = before.value
      guard old != value else { return nil }
      before.value = value
      return { action(old, value) }
    }
  }
}

@MainActor final class ChangeObserverEffect: NodeEffects {
  var seen: [AnyObject?]

  init(count: Int) { seen = Array(repeating: nil, count: count) }

  func cancel() {}
}

struct ChangeObserverView: PrimitiveView {
  let content: AnyView
  let watches: [ChangeObserver]

  public func update(_ node: Node) {
    node.child(content)
    let effect = node.effects as? ChangeObserverEffect ?? ChangeObserverEffect(count: watches.count)
    node.effects = effect
    for (index, watch) in watches.enumerated() {
      if let action = watch.look(&effect.seen[index]) { node.graph.afterUpdate(action) }
    }
  }
}

extension View {
  /// Starts a task when the view appears, and restarts it when `id` changes. It is cancelled when
  /// `id` changes and when the view's identity leaves the tree.
  public func task<ID: Equatable>(
    id: ID, _ action: @escaping @MainActor () async -> Void
  ) -> some View {
    TaskView(content: AnyView(self), id: id, action: action)
  }

  /// Starts a task when the view appears; it is cancelled when the view's identity leaves the tree.
  public func task(_ action: @escaping @MainActor () async -> Void) -> some View {
    TaskView(content: AnyView(self), id: 0, action: action)
  }

  /// Runs `action` when `value` differs from that of the previous run of the body.
  public func onChange<Value: Equatable>(
    of value: Value, _ action: @escaping @MainActor (_ old: Value, _ new: Value) -> Void
  ) -> some View {
    ChangeObserverView(content: AnyView(self), watches: [ChangeObserver(value, action)])
  }

  /// Observes several values with a single view node.
  public func onChanges(_ watches: ChangeObserver...) -> some View {
    ChangeObserverView(content: AnyView(self), watches: watches)
  }
}

/// Runs on the main actor: synchronously if already there, else in a new task.
func onMainActor(_ work: @escaping @MainActor @Sendable () -> Void) {
  if isOnMainQueue() {
    MainActor.assumeIsolated(work)
  } else {
    Task { @MainActor in work() }
  }
}

/// Whether the caller runs on the main queue, which executes the main actor.
///
/// Checks the queue, not the thread: after a program has parked its first thread, other threads
/// serve the main queue.
private func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: MainQueueMark.key) != nil }

private enum MainQueueMark {
  static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()
}
