package geo

import (
	"fmt"
	"math"
)

// Web Mercator (EPSG:3857).
const (
	// WebMercatorRadius is the radius of its sphere in metres: the major semi-axis of WGS 84.
	WebMercatorRadius = 6378137
	// WebMercatorLimit is half the edge of web maps' square, in metres.
	WebMercatorLimit = 20037508.342789244
	// WebMercatorMaxLatitude is the latitude of the square's upper edge, in degrees.
	WebMercatorMaxLatitude = 85.05112877980659
)

// LonLatToWebMercator converts degrees of longitude and latitude on WGS 84 to metres of Web
// Mercator (EPSG:3857). It accepts latitudes beyond web maps' square. The error is an
// [*ArgumentError] at and beyond the poles, and for NaN and infinities. Longitudes do not wrap: 190
// lies to the right of 180. See [ClampLatitude].
func LonLatToWebMercator(lon, lat float64) (x, y float64, err error) {
	if !finite(lon) || !(math.Abs(lat) < 90) {
		return 0, 0, &ArgumentError{"LonLatToWebMercator", fmt.Sprintf("no place for longitude %v, latitude %v", lon, lat)}
	}
	phi := lat * math.Pi / 180
	return WebMercatorRadius * (lon * math.Pi / 180), WebMercatorRadius * math.Asinh(math.Tan(phi)), nil
}

// ClampLatitude clamps a latitude to web maps' square.
func ClampLatitude(lat float64) float64 {
	return max(-WebMercatorMaxLatitude, min(WebMercatorMaxLatitude, lat))
}

// WebMercatorToLonLat converts metres of Web Mercator to degrees of longitude and latitude on WGS
// 84. The error is an [*ArgumentError] for NaN and infinities.
func WebMercatorToLonLat(x, y float64) (lon, lat float64, err error) {
	if !finite(x) || !finite(y) {
		return 0, 0, &ArgumentError{"WebMercatorToLonLat", fmt.Sprintf("no place for x %v, y %v", x, y)}
	}
	const degrees = 180 / math.Pi
	return x / WebMercatorRadius * degrees, math.Atan(math.Sinh(y/WebMercatorRadius)) * degrees, nil
}
