/// A finding of `rally doctor`, and what to do about it.
struct DoctorProblem: Encodable, Hashable {
  var about: String
  var problem: String
  var advice: String
  /// Whether it impairs Rally; otherwise it is a hint.
  var isGrave: Bool

  enum CodingKeys: String, CodingKey {
    case about, problem, advice
    case isGrave = "grave"
  }

  init(_ about: String, _ problem: String, _ advice: String, isGrave: Bool = true) {
    self.about = about
    self.problem = problem
    self.advice = advice
    self.isGrave = isGrave
  }
}
