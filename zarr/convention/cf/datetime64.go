package cf

import (
	"math"
	"math/big"
	"strings"
)

// NaT is the count with which numpy's datetime64 and timedelta64 mark "not a time".
const NaT = math.MinInt64

// numpyUnit returns a numpy unit as a fraction of a day. ok is false for units without a fixed
// length.
func numpyUnit(name string) (count, perDay *big.Int, ok bool) {
	power := func(zeros int) *big.Int {
		p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(zeros)), nil)
		return p.Mul(p, big.NewInt(86_400))
	}
	one := big.NewInt(1)
	switch name {
	case "W":
		return big.NewInt(7), one, true
	case "D":
		return one, one, true
	case "h":
		return one, big.NewInt(24), true
	case "m":
		return one, big.NewInt(1440), true
	case "s":
		return one, power(0), true
	case "ms":
		return one, power(3), true
	case "us", "µs", "μs":
		return one, power(6), true
	case "ns":
		return one, power(9), true
	case "ps":
		return one, power(12), true
	case "fs":
		return one, power(15), true
	case "as":
		return one, power(18), true
	}
	return nil, nil, false
}

// numpySplit returns the date of a count, and the rest of its day in units.
func numpySplit(value int64, unit string, scale int) (date Date, rest, perDay *big.Int, err error) {
	units := new(big.Int).Mul(big.NewInt(value), big.NewInt(int64(scale)))
	if unit == "Y" || unit == "M" {
		if unit == "Y" {
			units.Mul(units, big.NewInt(12))
		}
		years, month := new(big.Int).DivMod(units, big.NewInt(12), new(big.Int))
		if years.Add(years, big.NewInt(1970)).BitLen() > 40 {
			return Date{}, nil, nil, outOfRange()
		}
		date = Date{Year: years.Int64(), Month: int(month.Int64()) + 1, Day: 1, Calendar: ProlepticGregorian}
		return date, new(big.Int), big.NewInt(1), nil
	}
	count, perDay, ok := numpyUnit(unit)
	if !ok {
		return Date{}, nil, nil, &Error{Unsupported: true, Msg: "the unit " + quote(unit) + " has no instants"}
	}
	day, rest := new(big.Int).DivMod(units.Mul(units, count), perDay, new(big.Int))
	if !day.IsInt64() || day.Int64() < -maxDays || day.Int64() > maxDays {
		return Date{}, nil, nil, outOfRange()
	}
	micro := new(big.Int).Mul(rest, big.NewInt(microsPerDay))
	date, err = dateAt(instant{day.Int64(), micro.Div(micro, perDay).Int64()}, ProlepticGregorian)
	return date, rest, perDay, err
}

// Datetime64 returns the date of a count of scale units of numpy's datetime64, truncated to the
// microsecond. It returns false for NaT. The error is an *Error for the generic unit and for years
// beyond the range of [Date].
func Datetime64(value int64, unit string, scale int) (Date, bool, error) {
	if value == NaT {
		return Date{}, false, nil
	}
	date, _, _, err := numpySplit(value, unit, scale)
	return date, err == nil, err
}

// Datetime64Text formats a datetime64 as numpy does, as precise as its unit: "2029", "1974-05",
// "1899-12-08T18", or "NaT".
func Datetime64Text(value int64, unit string, scale int) (string, error) {
	if value == NaT {
		return "NaT", nil
	}
	date, rest, perDay, err := numpySplit(value, unit, scale)
	if err != nil {
		return "", err
	}
	date.Microsecond = 0
	text := date.String()
	switch unit {
	case "Y":
		return strings.TrimSuffix(text, "-01-01T00:00:00"), nil
	case "M":
		return strings.TrimSuffix(text, "-01T00:00:00"), nil
	case "W", "D":
		return strings.TrimSuffix(text, "T00:00:00"), nil
	case "h":
		return strings.TrimSuffix(text, ":00:00"), nil
	case "m":
		return strings.TrimSuffix(text, ":00"), nil
	case "s":
		return text, nil
	}
	perSecond := new(big.Int).Div(perDay, big.NewInt(86_400))
	digits := new(big.Int).Mod(rest, perSecond).String()
	return text + "." + strings.Repeat("0", len(perSecond.String())-1-len(digits)) + digits, nil
}

// TimedeltaSeconds returns a count of numpy's timedelta64 in seconds, rounded to binary64. It
// returns false for NaT, and for years, months and the generic unit, which have no fixed length.
func TimedeltaSeconds(value int64, unit string, scale int) (float64, bool) {
	count, perDay, ok := numpyUnit(unit)
	if !ok || value == NaT {
		return 0, false
	}
	num := new(big.Int).Mul(big.NewInt(value), big.NewInt(int64(scale)))
	num.Mul(num, count).Mul(num, big.NewInt(86_400))
	f, _ := new(big.Rat).SetFrac(num, perDay).Float64()
	return f, true
}
