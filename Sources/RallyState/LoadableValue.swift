import FoundationEssentials

/// The state of an asynchronous request and its result.
public enum LoadableValue<Value, Failure: Error> {
  case idle
  case loading
  case loaded(LoadingSuccess<Value>)
  case failed(LoadingFailure<Failure>)
  /// Cancelled at this time, by the user or because its screen closed.
  case cancelled(Date)

  /// The result, if loaded.
  public var value: Value? {
    if case .loaded(let success) = self { success.value } else { nil }
  }

  /// The error, if failed.
  public var failure: Failure? {
    if case .failed(let failure) = self { failure.failure } else { nil }
  }

  /// A finished request, as of now.
  public init(_ result: Result<Value, Failure>) {
    switch result {
    case .success(let value): self = .loaded(LoadingSuccess(value: value, timestamp: Date()))
    case .failure(let error): self = .failed(LoadingFailure(failure: error, timestamp: Date()))
    }
  }

  /// The same state with another value.
  public func map<Other>(_ convert: (Value) -> Other) -> LoadableValue<Other, Failure> {
    switch self {
    case .idle: .idle
    case .loading: .loading
    case .loaded(let success):
      .loaded(LoadingSuccess(value: convert(success.value), timestamp: success.timestamp))
    case .failed(let failure): .failed(failure)
    case .cancelled(let time): .cancelled(time)
    }
  }

  /// Whether nothing was requested yet.
  public var isIdle: Bool {
    if case .idle = self { true } else { false }
  }

  /// Whether the request failed.
  public var isFailure: Bool { failure != nil }

  public func isLoading() -> Bool {
    if case .loading = self { true } else { false }
  }

  /// Changes a loaded value and keeps its time; does nothing in other states.
  public mutating func modify(_ change: (inout Value) -> Void) {
    guard case .loaded(var success) = self else { return }
    change(&success.value)
    self = .loaded(success)
  }
}

extension LoadableValue: Sendable where Value: Sendable {}
extension LoadableValue: Equatable where Value: Equatable {}

/// A loaded value and when it arrived.
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

/// An error and when it occurred.
public struct LoadingFailure<Failure: Error> {
  public let failure: Failure
  public let timestamp: Date

  public init(failure: Failure, timestamp: Date) {
    self.failure = failure
    self.timestamp = timestamp
  }
}

extension LoadingFailure: Sendable {}
extension LoadingFailure: Equatable {
  /// Errors of one type that cannot be compared are equal: then the time distinguishes them.
  public static func == (one: LoadingFailure, other: LoadingFailure) -> Bool {
    one.timestamp == other.timestamp && one.failure.isSame(as: other.failure)
  }
}

extension Error {
  fileprivate func isSame(as other: any Error) -> Bool {
    (self as? any Equatable)?.isSame(as: other) ?? (type(of: self) == type(of: other))
  }
}

extension Equatable {
  fileprivate func isSame(as other: any Error) -> Bool { other as? Self == self }
}
