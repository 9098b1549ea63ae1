package grib

import "strconv"

// parameter is an entry of code table 4.2, with a short name.
type parameter struct{ name, long, units, standard string }

// parameters are common ones by discipline, category and number.
var parameters = map[[3]uint64]parameter{
	{0, 0, 0}:    {"t", "Temperature", "K", "air_temperature"},
	{0, 0, 1}:    {"vtmp", "Virtual temperature", "K", "virtual_temperature"},
	{0, 0, 2}:    {"pt", "Potential temperature", "K", "air_potential_temperature"},
	{0, 0, 4}:    {"tmax", "Maximum temperature", "K", "air_temperature"},
	{0, 0, 5}:    {"tmin", "Minimum temperature", "K", "air_temperature"},
	{0, 0, 6}:    {"d", "Dew point temperature", "K", "dew_point_temperature"},
	{0, 0, 7}:    {"depr", "Dew point depression", "K", "dew_point_depression"},
	{0, 0, 10}:   {"lhtfl", "Latent heat net flux", "W m-2", "surface_upward_latent_heat_flux"},
	{0, 0, 11}:   {"shtfl", "Sensible heat net flux", "W m-2", "surface_upward_sensible_heat_flux"},
	{0, 0, 17}:   {"skt", "Skin temperature", "K", "surface_temperature"},
	{0, 1, 0}:    {"q", "Specific humidity", "kg kg-1", "specific_humidity"},
	{0, 1, 1}:    {"r", "Relative humidity", "%", "relative_humidity"},
	{0, 1, 2}:    {"mixr", "Humidity mixing ratio", "kg kg-1", "humidity_mixing_ratio"},
	{0, 1, 3}:    {"pwat", "Precipitable water", "kg m-2", "atmosphere_mass_content_of_water_vapor"},
	{0, 1, 6}:    {"evp", "Evaporation", "kg m-2", ""},
	{0, 1, 7}:    {"prate", "Precipitation rate", "kg m-2 s-1", "precipitation_flux"},
	{0, 1, 8}:    {"tp", "Total precipitation", "kg m-2", "precipitation_amount"},
	{0, 1, 9}:    {"lsp", "Large-scale precipitation (non-convective)", "kg m-2", "stratiform_precipitation_amount"},
	{0, 1, 10}:   {"cp", "Convective precipitation", "kg m-2", "convective_precipitation_amount"},
	{0, 1, 11}:   {"sde", "Snow depth", "m", "surface_snow_thickness"},
	{0, 1, 13}:   {"sdwe", "Water equivalent of accumulated snow depth", "kg m-2", "surface_snow_amount"},
	{0, 1, 22}:   {"clwmr", "Cloud mixing ratio", "kg kg-1", "cloud_liquid_water_mixing_ratio"},
	{0, 1, 23}:   {"icmr", "Ice water mixing ratio", "kg kg-1", "cloud_ice_mixing_ratio"},
	{0, 1, 24}:   {"rwmr", "Rain mixing ratio", "kg kg-1", ""},
	{0, 1, 25}:   {"snmr", "Snow mixing ratio", "kg kg-1", ""},
	{0, 1, 29}:   {"asnow", "Total snowfall", "m", ""},
	{0, 1, 32}:   {"grle", "Graupel (snow pellets)", "kg kg-1", ""},
	{0, 1, 49}:   {"tpr", "Total water precipitation", "kg m-2", "precipitation_amount"},
	{0, 1, 52}:   {"tprate", "Total precipitation rate", "kg m-2 s-1", "precipitation_flux"},
	{0, 2, 0}:    {"wdir", "Wind direction (from which blowing)", "degree", "wind_from_direction"},
	{0, 2, 1}:    {"ws", "Wind speed", "m s-1", "wind_speed"},
	{0, 2, 2}:    {"u", "u-component of wind", "m s-1", "eastward_wind"},
	{0, 2, 3}:    {"v", "v-component of wind", "m s-1", "northward_wind"},
	{0, 2, 4}:    {"strf", "Stream function", "m2 s-1", "atmosphere_horizontal_streamfunction"},
	{0, 2, 5}:    {"vp", "Velocity potential", "m2 s-1", "atmosphere_horizontal_velocity_potential"},
	{0, 2, 8}:    {"w", "Vertical velocity (pressure)", "Pa s-1", "lagrangian_tendency_of_air_pressure"},
	{0, 2, 9}:    {"wz", "Vertical velocity (geometric)", "m s-1", "upward_air_velocity"},
	{0, 2, 10}:   {"absv", "Absolute vorticity", "s-1", "atmosphere_absolute_vorticity"},
	{0, 2, 12}:   {"vo", "Relative vorticity", "s-1", "atmosphere_relative_vorticity"},
	{0, 2, 13}:   {"div", "Relative divergence", "s-1", "divergence_of_wind"},
	{0, 2, 14}:   {"pv", "Potential vorticity", "K m2 kg-1 s-1", ""},
	{0, 2, 17}:   {"uflx", "Momentum flux, u-component", "N m-2", "surface_downward_eastward_stress"},
	{0, 2, 18}:   {"vflx", "Momentum flux, v-component", "N m-2", "surface_downward_northward_stress"},
	{0, 2, 22}:   {"gust", "Wind speed (gust)", "m s-1", "wind_speed_of_gust"},
	{0, 2, 192}:  {"vwsh", "Vertical speed shear", "s-1", ""},
	{0, 3, 0}:    {"p", "Pressure", "Pa", "air_pressure"},
	{0, 3, 1}:    {"prmsl", "Pressure reduced to mean sea level", "Pa", "air_pressure_at_mean_sea_level"},
	{0, 3, 4}:    {"z", "Geopotential", "m2 s-2", "geopotential"},
	{0, 3, 5}:    {"gh", "Geopotential height", "gpm", "geopotential_height"},
	{0, 3, 6}:    {"h", "Geometric height", "m", "altitude"},
	{0, 3, 18}:   {"blh", "Planetary boundary layer height", "m", "atmosphere_boundary_layer_thickness"},
	{0, 4, 7}:    {"dswrf", "Downward short-wave radiation flux", "W m-2", "downwelling_shortwave_flux_in_air"},
	{0, 4, 8}:    {"uswrf", "Upward short-wave radiation flux", "W m-2", "upwelling_shortwave_flux_in_air"},
	{0, 4, 9}:    {"nswrf", "Net short-wave radiation flux", "W m-2", ""},
	{0, 5, 3}:    {"dlwrf", "Downward long-wave radiation flux", "W m-2", "downwelling_longwave_flux_in_air"},
	{0, 5, 4}:    {"ulwrf", "Upward long-wave radiation flux", "W m-2", "upwelling_longwave_flux_in_air"},
	{0, 5, 5}:    {"nlwrf", "Net long-wave radiation flux", "W m-2", ""},
	{0, 6, 1}:    {"tcc", "Total cloud cover", "%", "cloud_area_fraction"},
	{0, 6, 3}:    {"lcc", "Low cloud cover", "%", "low_type_cloud_area_fraction"},
	{0, 6, 4}:    {"mcc", "Medium cloud cover", "%", "medium_type_cloud_area_fraction"},
	{0, 6, 5}:    {"hcc", "High cloud cover", "%", "high_type_cloud_area_fraction"},
	{0, 6, 6}:    {"cwat", "Cloud water", "kg m-2", ""},
	{0, 7, 6}:    {"cape", "Convective available potential energy", "J kg-1", "atmosphere_convective_available_potential_energy"},
	{0, 7, 7}:    {"cin", "Convective inhibition", "J kg-1", "atmosphere_convective_inhibition"},
	{0, 7, 8}:    {"hlcy", "Storm relative helicity", "J kg-1", ""},
	{0, 14, 0}:   {"tco3", "Total ozone", "DU", ""},
	{0, 14, 1}:   {"o3mr", "Ozone mixing ratio", "kg kg-1", "mass_fraction_of_ozone_in_air"},
	{0, 16, 196}: {"refc", "Composite reflectivity", "dB", ""},
	{0, 19, 0}:   {"vis", "Visibility", "m", "visibility_in_air"},
	{0, 19, 1}:   {"al", "Albedo", "%", "surface_albedo"},
	{1, 0, 1}:    {"flood", "Flash flood runoff", "kg m-2", ""},
	{2, 0, 0}:    {"lsm", "Land cover (0 = sea, 1 = land)", "1", "land_binary_mask"},
	{2, 0, 1}:    {"sr", "Surface roughness", "m", "surface_roughness_length"},
	{2, 0, 2}:    {"st", "Soil temperature", "K", "soil_temperature"},
	{2, 0, 4}:    {"veg", "Vegetation", "%", "vegetation_area_fraction"},
	{2, 0, 5}:    {"ro", "Water runoff", "kg m-2", "runoff_amount"},
	{2, 0, 7}:    {"mterh", "Model terrain height", "m", "surface_altitude"},
	{2, 0, 9}:    {"vsw", "Volumetric soil moisture content", "1", "volume_fraction_of_condensed_water_in_soil"},
	{10, 0, 3}:   {"swh", "Significant height of combined wind waves and swell", "m", "sea_surface_wave_significant_height"},
	{10, 0, 4}:   {"wvdir", "Direction of wind waves", "degree", "sea_surface_wind_wave_from_direction"},
	{10, 0, 5}:   {"shww", "Significant height of wind waves", "m", "sea_surface_wind_wave_significant_height"},
	{10, 0, 6}:   {"mpww", "Mean period of wind waves", "s", "sea_surface_wind_wave_period"},
	{10, 0, 10}:  {"dirpw", "Primary wave direction", "degree", "sea_surface_primary_swell_wave_from_direction"},
	{10, 0, 11}:  {"perpw", "Primary wave mean period", "s", ""},
	{10, 1, 2}:   {"uogrd", "u-component of current", "m s-1", "eastward_sea_water_velocity"},
	{10, 1, 3}:   {"vogrd", "v-component of current", "m s-1", "northward_sea_water_velocity"},
	{10, 2, 0}:   {"ci", "Ice cover", "1", "sea_ice_area_fraction"},
	{10, 2, 1}:   {"icetk", "Ice thickness", "m", "sea_ice_thickness"},
	{10, 3, 0}:   {"sst", "Water temperature", "K", "sea_surface_temperature"},
	{10, 3, 1}:   {"dslm", "Deviation of sea level from mean", "m", "sea_surface_height_above_mean_sea_level"},
}

// parameter returns the entry of a quantity. An unknown one is named by its numbers.
func (q quantity) parameter() parameter {
	if p, ok := parameters[[3]uint64{q.discipline, q.category, q.number}]; ok {
		return p
	}
	d, c, n := strconv.FormatUint(q.discipline, 10), strconv.FormatUint(q.category, 10), strconv.FormatUint(q.number, 10)
	return parameter{name: "param_" + d + "_" + c + "_" + n, long: "Discipline " + d + ", category " + c + ", parameter " + n}
}

// surface is an entry of code table 4.5.
type surface struct {
	name, long, units string
	scale             float64 // from the units of the table
	down              bool    // the axis has falling values
	positive          string
}

var surfaces = map[uint64]surface{
	1:   {name: "surface", long: "ground or water surface"},
	2:   {name: "cloudBase", long: "cloud base level"},
	3:   {name: "cloudTop", long: "level of cloud tops"},
	4:   {name: "isothermZero", long: "level of 0 °C isotherm"},
	6:   {name: "maxWind", long: "maximum wind level"},
	7:   {name: "tropopause", long: "tropopause"},
	8:   {name: "nominalTop", long: "nominal top of the atmosphere"},
	9:   {name: "seaBottom", long: "sea bottom"},
	10:  {name: "atmosphere", long: "entire atmosphere"},
	20:  {name: "isothermal", long: "isothermal level", units: "K"},
	100: {name: "isobaricInhPa", long: "pressure", units: "hPa", scale: 0.01, down: true, positive: "down"},
	101: {name: "meanSea", long: "mean sea level"},
	102: {name: "heightAboveSea", long: "height above mean sea level", units: "m", positive: "up"},
	103: {name: "heightAboveGround", long: "height above the surface", units: "m", positive: "up"},
	104: {name: "sigma", long: "sigma level", units: "1"},
	105: {name: "hybrid", long: "hybrid level", units: "1", positive: "down"},
	106: {name: "depthBelowLand", long: "depth below land surface", units: "m", positive: "down"},
	107: {name: "theta", long: "isentropic (theta) level", units: "K", positive: "up"},
	108: {name: "pressureFromGround", long: "level at specified pressure difference from ground to level", units: "Pa"},
	109: {name: "potentialVorticity", long: "potential vorticity surface", units: "K m2 kg-1 s-1"},
	118: {name: "hybridHeight", long: "hybrid height level", units: "1", positive: "up"},
	150: {name: "generalVertical", long: "generalized vertical height coordinate", units: "1"},
	151: {name: "soil", long: "soil level", units: "1", positive: "down"},
	160: {name: "depthBelowSea", long: "depth below sea level", units: "m", positive: "down"},
	200: {name: "entireAtmosphere", long: "entire atmosphere, as a single layer"},
	201: {name: "entireOcean", long: "entire ocean, as a single layer"},
	214: {name: "lowCloudLayer", long: "low cloud layer"},
	224: {name: "middleCloudLayer", long: "middle cloud layer"},
	234: {name: "highCloudLayer", long: "high cloud layer"},
}

// surfaceOf returns the entry of a type of level.
func surfaceOf(code uint64) surface {
	s, ok := surfaces[code]
	if !ok {
		n := strconv.FormatUint(code, 10)
		s = surface{name: "level" + n, long: "level of type " + n}
	}
	if s.scale == 0 {
		s.scale = 1
	}
	return s
}

// processes are the names of code table 4.10.
var processes = map[uint64]string{0: "avg", 1: "accum", 2: "max", 3: "min", 4: "diff", 5: "rms", 6: "sd", 7: "cov", 9: "ratio"}

// methods are CF's cell methods for some of them.
var methods = map[uint64]string{0: "mean", 1: "sum", 2: "maximum", 3: "minimum", 6: "standard_deviation"}

// stepType returns the name of the statistics of a quantity.
func (q quantity) stepType() string {
	if q.process == none {
		return "instant"
	}
	if name, ok := processes[q.process]; ok {
		return name
	}
	return "process" + strconv.FormatUint(q.process, 10)
}
