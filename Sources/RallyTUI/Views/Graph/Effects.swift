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

public struct TaskView<Content: View, ID: Equatable>: PrimitiveView {
  let content: Content
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

@MainActor final class ChangeEffect<Value: Equatable>: NodeEffects {
  var value: Value

  init(_ value: Value) { self.value = value }

  func cancel() {}
}

public struct ChangeView<Content: View, Value: Equatable>: PrimitiveView {
  let content: Content
  let value: Value
  let action: @MainActor (Value, Value) -> Void

  public func update(_ node: Node) {
    node.child(content)
    guard let effect = node.effects as? ChangeEffect<Value> else {
      node.effects = ChangeEffect(value)
      return
    }
    guard effect.value != value else { return }
    let old = effect.value
    let new = value
    let action = action
    effect.value = new
    node.graph.afterUpdate { action(old, new) }
  }
}

extension View {
  /// Starts work when this view appears, and anew whenever `id` changes; it is cancelled when `id`
  /// changes and when the view's identity leaves the tree.
  public func task<ID: Equatable>(
    id: ID, _ action: @escaping @MainActor () async -> Void
  ) -> some View {
    TaskView(content: self, id: id, action: action)
  }

  /// Starts work when this view appears; it is cancelled when the view's identity leaves the tree.
  public func task(_ action: @escaping @MainActor () async -> Void) -> some View {
    TaskView(content: self, id: 0, action: action)
  }

  /// Acts after a body gave another value than before.
  public func onChange<Value: Equatable>(
    of value: Value, _ action: @escaping @MainActor (_ old: Value, _ new: Value) -> Void
  ) -> some View {
    ChangeView(content: self, value: value, action: action)
  }
}
