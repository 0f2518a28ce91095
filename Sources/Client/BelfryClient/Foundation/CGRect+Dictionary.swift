public import Foundation

extension CGRect {
  /// The rectangle as the dictionary that the clipping option of an attachment takes: `X`, `Y`,
  /// `Width` and `Height`.
  public var dictionaryRepresentation: NSDictionary {
    [
      "X": Double(origin.x), "Y": Double(origin.y), "Width": Double(size.width),
      "Height": Double(size.height),
    ]
  }
}
