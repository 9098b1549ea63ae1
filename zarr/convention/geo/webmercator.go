package geo

import (
	"fmt"
	"math"
)

// Web Mercator (EPSG:3857).
const (
	// WebMercatorRadius is the radius of its sphere in metres: the major semi-axis of WGS 84.
	WebMercatorRadius = 6378137
	// WebMercatorLimit is half the edge of the square that web maps show of it, in metres.
	WebMercatorLimit = 20037508.342789244
	// WebMercatorMaxLatitude is the latitude in degrees at which that square ends.
	WebMercatorMaxLatitude = 85.05112877980659
)

// LonLatToWebMercator is Web Mercator (EPSG:3857) of degrees of longitude and latitude on WGS 84, in metres. Latitudes between
// the poles are computed, those beyond web maps' square too; the poles, what lies beyond them, and what is not finite are an
// [*ArgumentError]. Longitudes are not wrapped: 190 lies to the right of 180. See [ClampLatitude].
func LonLatToWebMercator(lon, lat float64) (x, y float64, err error) {
	if !finite(lon) || !(math.Abs(lat) < 90) {
		return 0, 0, &ArgumentError{"LonLatToWebMercator", fmt.Sprintf("no place for longitude %v, latitude %v", lon, lat)}
	}
	phi := lat * math.Pi / 180
	return WebMercatorRadius * (lon * math.Pi / 180), WebMercatorRadius * math.Asinh(math.Tan(phi)), nil
}

// ClampLatitude takes latitudes beyond those of web maps' square for its edge.
func ClampLatitude(lat float64) float64 {
	return max(-WebMercatorMaxLatitude, min(WebMercatorMaxLatitude, lat))
}

// WebMercatorToLonLat is degrees of longitude and latitude on WGS 84 of Web Mercator's metres. What is not finite is an
// [*ArgumentError].
func WebMercatorToLonLat(x, y float64) (lon, lat float64, err error) {
	if !finite(x) || !finite(y) {
		return 0, 0, &ArgumentError{"WebMercatorToLonLat", fmt.Sprintf("no place for x %v, y %v", x, y)}
	}
	const degrees = 180 / math.Pi
	return x / WebMercatorRadius * degrees, math.Atan(math.Sinh(y/WebMercatorRadius)) * degrees, nil
}
