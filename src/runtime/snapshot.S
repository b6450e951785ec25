/* The start-up snapshot inside ./gyre. The build says where the blob is. */
.section .rodata
.balign 64
.global gyre_snapshot_begin
gyre_snapshot_begin:
.incbin GYRE_SNAPSHOT
.global gyre_snapshot_end
gyre_snapshot_end:
.byte 0
.section .note.GNU-stack,"",@progbits
