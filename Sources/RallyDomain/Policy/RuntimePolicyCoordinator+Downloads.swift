extension RuntimePolicyCoordinator {
  /// Why nothing large is to be fetched now, as a sentence; nil if nothing is against it.
  public var downloadObstacle: String? {
    if !isNetworkAvailable { return "There is no network." }
    if isLowDataModeEnabled { return "You save data (policy low-data)." }
    if isExpensiveNetwork { return "This network costs (policy expensive)." }
    return nil
  }
}
