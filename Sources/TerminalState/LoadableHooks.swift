import FoundationEssentials
import RallyState
import TerminalKit

/// The state of a loadable value; a new result is a new stage.
private enum LoadStage: Equatable {
  case idle, loading
  case loaded(Date)
  case failed(Date)
  case cancelled(Date)

  init<Value, Failure: Error>(_ value: LoadableValue<Value, Failure>) {
    self =
      switch value {
      case .idle: .idle
      case .loading: .loading
      case .loaded(let success): .loaded(success.timestamp)
      case .failed(let failure): .failed(failure.timestamp)
      case .cancelled(let time): .cancelled(time)
      }
  }
}

@MainActor private final class StageEffect: NodeEffects {
  var stage: LoadStage

  init(_ stage: LoadStage) { self.stage = stage }

  func cancel() {}
}

/// Calls an action when a loadable value enters a stage, also if it is in it when the view appears.
private struct StageView: PrimitiveView {
  let content: AnyView
  let stage: LoadStage
  /// Called in this stage; nil for nothing.
  let action: (@MainActor () -> Void)?

  func update(_ node: Node) {
    node.child(content)
    let effect = node.effects as? StageEffect
    guard effect?.stage != stage else { return }
    if let effect {
      effect.stage = stage
    } else {
      node.effects = StageEffect(stage)
    }
    guard let action else { return }
    node.graph.afterUpdate { if node.isAlive { action() } }
  }
}

extension View {
  private func onStage<Value, Failure: Error>(
    of value: LoadableValue<Value, Failure>, _ action: (@MainActor () -> Void)?
  ) -> some View {
    StageView(content: AnyView(self), stage: LoadStage(value), action: action)
  }

  /// Runs an action while the value is idle, for example to load it.
  public func onIdle<Value, Failure: Error>(
    of value: LoadableValue<Value, Failure>, _ action: @escaping @MainActor () -> Void
  ) -> some View {
    guard case .idle = value else { return onStage(of: value, nil) }
    return onStage(of: value, action)
  }

  /// Runs an action when loading starts.
  public func onLoading<Value, Failure: Error>(
    of value: LoadableValue<Value, Failure>, _ action: @escaping @MainActor () -> Void
  ) -> some View {
    guard case .loading = value else { return onStage(of: value, nil) }
    return onStage(of: value, action)
  }

  /// Runs an action when the value was loaded.
  public func onLoadingComplete<Value, Failure: Error>(
    of value: LoadableValue<Value, Failure>,
    _ action: @escaping @MainActor (LoadingSuccess<Value>) -> Void
  ) -> some View {
    guard case .loaded(let success) = value else { return onStage(of: value, nil) }
    return onStage(of: value) { action(success) }
  }

  /// Runs an action when loading failed.
  public func onFailure<Value, Failure: Error>(
    of value: LoadableValue<Value, Failure>,
    _ action: @escaping @MainActor (LoadingFailure<Failure>) -> Void
  ) -> some View {
    guard case .failed(let failure) = value else { return onStage(of: value, nil) }
    return onStage(of: value) { action(failure) }
  }

  /// Runs an action when loading was cancelled.
  public func onCancellation<Value, Failure: Error>(
    of value: LoadableValue<Value, Failure>, _ action: @escaping @MainActor (Date) -> Void
  ) -> some View {
    guard case .cancelled(let date) = value else { return onStage(of: value, nil) }
    return onStage(of: value) { action(date) }
  }
}
