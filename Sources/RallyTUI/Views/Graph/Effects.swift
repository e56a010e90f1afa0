/// Work that belongs to a node and ends with it.
@MainActor protocol NodeEffects: AnyObject {
  func cancel()
}

@MainActor final class TaskEffect<ID: Equatable>: NodeEffects {
  var id: ID
  var task: Task<Void, Never>?

  init(id: ID) { self.id = id }

  func cancel() {
    task?.cancel()
    task = nil
  }
}

struct TaskView<ID: Equatable>: PrimitiveView {
  let content: AnyView
  let id: ID
  let action: @MainActor () async -> Void

  public func update(_ node: Node) {
    node.child(content)
    if let effect = node.effects as? TaskEffect<ID> {
      guard effect.id != id else { return }
      effect.cancel()
      effect.id = id
      start(effect, on: node)
    } else {
      let effect = TaskEffect(id: id)
      node.effects = effect
      start(effect, on: node)
    }
  }

  private func start(_ effect: TaskEffect<ID>, on node: Node) {
    let id = id
    let action = action
    node.graph.afterUpdate {
      guard effect.id == id, effect.task == nil, node.isAlive else { return }
      effect.task = Task { await action() }
    }
  }
}

/// A value that is followed, with what to do after a body gave another one than before.
@MainActor public struct Watch {
  /// What a watch saw last.
  private final class Seen<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  /// Compares with what was seen before, if this is not the first look, and remembers what is seen now.
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

@MainActor final class WatchEffect: NodeEffects {
  var seen: [AnyObject?]

  init(count: Int) { seen = Array(repeating: nil, count: count) }

  func cancel() {}
}

struct WatchView: PrimitiveView {
  let content: AnyView
  let watches: [Watch]

  public func update(_ node: Node) {
    node.child(content)
    let effect = node.effects as? WatchEffect ?? WatchEffect(count: watches.count)
    node.effects = effect
    for (index, watch) in watches.enumerated() {
      if let action = watch.look(&effect.seen[index]) { node.graph.afterUpdate(action) }
    }
  }
}

extension View {
  /// Starts work when this view appears, and anew whenever `id` changes; it is cancelled when `id`
  /// changes and when the view's identity leaves the tree.
  public func task<ID: Equatable>(
    id: ID, _ action: @escaping @MainActor () async -> Void
  ) -> some View {
    TaskView(content: AnyView(self), id: id, action: action)
  }

  /// Starts work when this view appears; it is cancelled when the view's identity leaves the tree.
  public func task(_ action: @escaping @MainActor () async -> Void) -> some View {
    TaskView(content: AnyView(self), id: 0, action: action)
  }

  /// Acts after a body gave another value than before.
  public func onChange<Value: Equatable>(
    of value: Value, _ action: @escaping @MainActor (_ old: Value, _ new: Value) -> Void
  ) -> some View {
    WatchView(content: AnyView(self), watches: [Watch(value, action)])
  }

  /// Acts after a body gave other values than before; one view however many values are followed.
  public func onChanges(_ watches: Watch...) -> some View {
    WatchView(content: AnyView(self), watches: watches)
  }
}
