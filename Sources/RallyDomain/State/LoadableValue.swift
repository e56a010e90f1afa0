import Foundation

/// What an asynchronous answer is now: not asked for, on its way, there, refused or given up.
public enum LoadableValue<Value, Failure: Error> {
  case idle
  case loading
  case loaded(LoadingSuccess<Value>)
  case failed(LoadingFailure<Failure>)
  /// Given up at this time, by the person or because its screen went away.
  case cancelled(Date)

  /// The answer, once it is there.
  public var value: Value? {
    if case .loaded(let success) = self { success.value } else { nil }
  }

  /// Why there is no answer, if it was refused.
  public var failure: Failure? {
    if case .failed(let failure) = self { failure.failure } else { nil }
  }

  public func isLoading() -> Bool {
    if case .loading = self { true } else { false }
  }

  /// Changes an answer that is there and keeps its time; does nothing in every other state.
  public mutating func modify(_ change: (inout Value) -> Void) {
    guard case .loaded(var success) = self else { return }
    change(&success.value)
    self = .loaded(success)
  }
}

extension LoadableValue: Sendable where Value: Sendable {}
extension LoadableValue: Equatable where Value: Equatable, Failure: Equatable {}

/// An answer and when it came.
public struct LoadingSuccess<Value> {
  public var value: Value
  public let timestamp: Date

  public init(value: Value, timestamp: Date) {
    self.value = value
    self.timestamp = timestamp
  }
}

extension LoadingSuccess: Sendable where Value: Sendable {}
extension LoadingSuccess: Equatable where Value: Equatable {}

/// A refusal and when it came.
public struct LoadingFailure<Failure: Error> {
  public let failure: Failure
  public let timestamp: Date

  public init(failure: Failure, timestamp: Date) {
    self.failure = failure
    self.timestamp = timestamp
  }
}

extension LoadingFailure: Sendable {}
extension LoadingFailure: Equatable where Failure: Equatable {}
