package wire

// EngineError reports that the two sides of the protocol do not match.
type EngineError struct{ Msg string }

func (e *EngineError) Error() string { return e.Msg }
