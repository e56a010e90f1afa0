import Foundation

extension String {
  /// With each letter and its accents as one character where there is one (NFC): how addresses
  /// (RFC 6532, 3.1) and passwords (RFC 8265, 4.2) are compared. Keyboards and files give either form.
  var composed: String { precomposedStringWithCanonicalMapping }

  /// The text as it came, and composed and decomposed where that are other bytes.
  var canonicalForms: [String] {
    var forms = [self]
    for form in [composed, decomposedStringWithCanonicalMapping]
    where !forms.contains(where: { $0.utf8.elementsEqual(form.utf8) }) {
      forms.append(form)
    }
    return forms
  }
}
