package inflate

import "hash/crc32"

func headerCRC(head []byte) uint16 { return uint16(crc32.ChecksumIEEE(head)) }
