import Foundation
import RallyDomain

/// Which of the five states a loadable value is in; a new answer is a new stage.
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

/// Acts when a loadable value comes into a stage, also when the view appears in it.
private struct StageView: PrimitiveView {
  let content: AnyView
  let stage: LoadStage
  /// What to do in this stage; nil for nothing.
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

  /// Acts when nothing has been asked for yet, such as to ask for it.
  public func onIdle<Value, Failure: Error>(
    of value: LoadableValue<Value, Failure>, _ action: @escaping @MainActor () -> Void
  ) -> some View {
    guard case .idle = value else { return onStage(of: value, nil) }
    return onStage(of: value, action)
  }

  /// Acts when an answer begins to be waited for.
  public func onLoading<Value, Failure: Error>(
    of value: LoadableValue<Value, Failure>, _ action: @escaping @MainActor () -> Void
  ) -> some View {
    guard case .loading = value else { return onStage(of: value, nil) }
    return onStage(of: value, action)
  }

  /// Acts when the answer is there.
  public func onLoadingComplete<Value, Failure: Error>(
    of value: LoadableValue<Value, Failure>,
    _ action: @escaping @MainActor (LoadingSuccess<Value>) -> Void
  ) -> some View {
    guard case .loaded(let success) = value else { return onStage(of: value, nil) }
    return onStage(of: value) { action(success) }
  }

  /// Acts when the answer was refused.
  public func onFailure<Value, Failure: Error>(
    of value: LoadableValue<Value, Failure>,
    _ action: @escaping @MainActor (LoadingFailure<Failure>) -> Void
  ) -> some View {
    guard case .failed(let failure) = value else { return onStage(of: value, nil) }
    return onStage(of: value) { action(failure) }
  }

  /// Acts when the answer was given up.
  public func onCancellation<Value, Failure: Error>(
    of value: LoadableValue<Value, Failure>, _ action: @escaping @MainActor (Date) -> Void
  ) -> some View {
    guard case .cancelled(let date) = value else { return onStage(of: value, nil) }
    return onStage(of: value) { action(date) }
  }
}
