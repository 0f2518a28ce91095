/// A header field that a fuzz target compares, as bytes.
struct FuzzField: Equatable {
  var name: [UInt8]
  var value: [UInt8]
}
