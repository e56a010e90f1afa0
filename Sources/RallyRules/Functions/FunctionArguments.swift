import Foundation
import RallyText
import RallyWire

/// Decodes named JSON arguments to the function's type, with PostgREST's errors.
package enum FunctionArguments {
  /// The body has more values than `WireJSON.mostValues`.
  package struct TooManyValues: Error {}

  static func decode<F: RemoteFunction>(_ type: F.Type, from data: Data) throws -> F {
    let arguments = try arguments(in: data)
    let unknown = FunctionFailure.unknown(
      F.name, arguments: arguments.keys, suggestion: signature(of: F.self))
    guard Set(arguments.keys).isSubset(of: F.parameters) else { throw unknown }
    do {
      return try F(from: ArgumentDecoder(value: .object(arguments)))
    } catch DecodingError.keyNotFound(_, let context) where context.codingPath.isEmpty {
      throw unknown
    } catch DecodingError.keyNotFound(let key, let context) {
      throw FunctionFailure(.invalidArgument, "\(path(context.codingPath + [key])) is missing.")
    } catch DecodingError.valueNotFound(_, let context) {
      throw FunctionFailure(.invalidArgument, "\(path(context.codingPath)) cannot be null.")
    } catch DecodingError.typeMismatch(_, let context) {
      throw FunctionFailure(
        code: "22P02", message: "invalid input syntax for \(path(context.codingPath))",
        hint: FailureReason.invalidArgument.rawValue)
    } catch DecodingError.dataCorrupted(let context) {
      let text = value(at: context.codingPath, in: arguments)?.string ?? ""
      throw FunctionFailure(.invalidArgument, "\(path(context.codingPath)) cannot be “\(text)”.")
    } catch var failure as FunctionFailure {
      failure.hint = FailureReason.invalidArgument.rawValue
      throw failure
    }
  }

  /// The argument names of a body; an empty body has none.
  package static func names(in data: Data) throws -> Set<String> {
    Set(try arguments(in: data).keys)
  }

  private static func arguments(in data: Data) throws -> [String: JSONValue] {
    do throws(JSONReader.Problem) {
      if let arguments = try WireJSON.value(of: data).object { return arguments }
    } catch .tooManyValues {
      throw TooManyValues()
    } catch {}
    throw FunctionFailure(code: "PGRST102", message: "Empty or invalid json")
  }

  private static func value(
    at path: [any CodingKey], in arguments: [String: JSONValue]
  ) -> JSONValue? {
    path.reduce(.object(arguments)) { value, key in
      key.intValue.map { value?.array?[$0] } ?? value?[key.stringValue]
    }
  }

  /// As in `p_objectives[0].title`.
  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce("") { path, key in
      if let index = key.intValue { return "\(path)[\(index)]" }
      return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
    }
  }

  private static func signature<F: RemoteFunction>(of type: F.Type) -> String {
    "\(F.name)(\(F.parameters.sorted().joined(separator: ", ")))"
  }

  /// The arguments of a GET request, all of which are text.
  package static func json(fromQuery items: [QueryItem]) throws -> Data {
    try WireJSON.encode(Dictionary(items.map { ($0.name, $0.value) }) { _, last in last })
  }
}
