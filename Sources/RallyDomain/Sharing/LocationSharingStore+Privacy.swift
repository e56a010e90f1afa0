import RallySystem
import RallyWire

// MARK: - My Zones and Hours

extension LocationSharingStore {
  /// What a command about zones or hours led to, for people.
  public typealias PrivacyOutcome = Result<String, FieldProblem>

  /// Makes a zone, as typed: `home 300m`, `home 2km city`, `office 200m at PLACE`.
  ///
  /// - What: Holds at once. What the server has of my position is deleted if it lies in the zone.
  /// - How: Around the place, or where this device is.
  /// - Why: Home stays private without thinking of it each evening.
  /// - Service Calls: `PrivacyService.setRules`, `LocationsService.withdrawLocation`
  public func addZone(_ words: [String]) async -> PrivacyOutcome {
    do throws(FieldProblem) {
      let request = try ZoneRequest(words)
      let place: Place
      if let text = request.place {
        place = try await placeFinder.resolveAnywhere(text)
      } else if let fix = currentLocationProvider.fix {
        place = Place(
          name: fix.placeName, coordinate: fix.coordinate, radiusMetres: fix.accuracyMetres)
      } else {
        throw FieldProblem(
          field: .place, advice: "Where you are is not known: add at PLACE, or say :here PLACE.")
      }
      let change = try await privacyRules.addZone(
        request.name, around: place.coordinate, accuracyMetres: place.radiusMetres,
        distance: request.distance, allows: request.allows)
      let what = privacyRules.kept.zones.first { $0.name == request.name }?.sentence ?? ""
      return .success(
        await concluded(
          change, "\(request.name): \(what) of \(place.name ?? place.coordinate.description)."))
    } catch {
      return .failure(error)
    }
  }

  /// Removes a zone; what is due from there is sent.
  ///
  /// - What: Less is held back from now on.
  /// - How: Changes the rules here and with the account, then sends what is due.
  /// - Why: A zone that is no longer mine must not hide me there.
  /// - Service Calls: `PrivacyRulesService.removeZone`, those of `publishIfChanged`
  public func removeZone(_ name: String) async -> PrivacyOutcome {
    do throws(FieldProblem) {
      let change = try await privacyRules.removeZone(name)
      return .success(await concluded(change, PrivacyChangeText.zoneRemoved(name)))
    } catch {
      return .failure(error)
    }
  }

  /// Limits sharing to hours, as typed: `work mon-fri 9-18`.
  ///
  /// - What: Outside of the hours nothing leaves.
  /// - How: Changes the rules here and with the account, then sends what is due.
  /// - Why: A day of work ends by itself, without a key.
  /// - Service Calls: `PrivacyRulesService.addHours`, those of `publishIfChanged`
  public func addHours(_ words: [String]) async -> PrivacyOutcome {
    do throws(FieldProblem) {
      let hours = try SharingHours(words.first ?? "", typed: Array(words.dropFirst()))
      let change = try await privacyRules.addHours(hours)
      return .success(
        await concluded(change, PrivacyChangeText.hoursAdded(hours)))
    } catch {
      return .failure(error)
    }
  }

  /// Removes hours; what is due is sent.
  ///
  /// - What: Their limit is gone.
  /// - How: Changes the rules here and with the account, then sends what is due.
  /// - Why: Hours that no longer hold must not hide me.
  /// - Service Calls: `PrivacyRulesService.removeHours`, those of `publishIfChanged`
  public func removeHours(_ name: String) async -> PrivacyOutcome {
    do throws(FieldProblem) {
      let change = try await privacyRules.removeHours(name)
      return .success(await concluded(change, PrivacyChangeText.hoursRemoved(name)))
    } catch {
      return .failure(error)
    }
  }

  /// Keeps all zones and hours with the account, where they hold for phones and other machines too,
  /// or on this machine only.
  ///
  /// - What: Moves the rules to the account, or back to this machine.
  /// - How: Asks the account first; without it nothing changes.
  /// - Why: A phone obeys only what is with the account.
  /// - Service Calls: `PrivacyRulesService.keep`, those of `publishIfChanged`
  public func keepRules(withAccount: Bool) async -> PrivacyOutcome {
    do throws(FieldProblem) {
      let change = try await privacyRules.keep(withAccount: withAccount)
      return .success(
        await concluded(change, PrivacyChangeText.kept(withAccount: withAccount)))
    } catch {
      return .failure(error)
    }
  }

  /// Sends, or deletes on the server, what is due after a change.
  private func concluded(_ change: PrivacyRulesService.Change, _ sentence: String) async -> String {
    await publishIfChanged(isShown: true)
    return [sentence, change.warning].compactMap(\.self).joined(separator: " ")
  }
}
