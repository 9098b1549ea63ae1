package wire

// EngineError says that the two sides of the protocol do not fit.
type EngineError struct{ Msg string }

func (e *EngineError) Error() string { return e.Msg }
