public import Foundation

extension CGRect {
  /// The rectangle as a dictionary with the keys `X`, `Y`, `Width`, and `Height`, for the clipping option of an
  /// attachment.
  public var dictionaryRepresentation: NSDictionary {
    [
      "X": Double(origin.x), "Y": Double(origin.y), "Width": Double(size.width),
      "Height": Double(size.height),
    ]
  }
}
