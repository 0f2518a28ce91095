import Foundation

extension Double {
  var sine: Double { sin(self) }
  var cosine: Double { cos(self) }
  var arcSine: Double { asin(self) }
}
