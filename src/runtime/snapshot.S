/* The start-up snapshot and the code cache inside ./gyre. The build says where the files are. */
.section .rodata
.balign 64
.global gyre_snapshot_begin
gyre_snapshot_begin:
.incbin GYRE_SNAPSHOT
.global gyre_snapshot_end
gyre_snapshot_end:
.byte 0
.balign 64
.global gyre_code_cache_begin
gyre_code_cache_begin:
.incbin GYRE_CODE_CACHE
.global gyre_code_cache_end
gyre_code_cache_end:
.byte 0
.section .note.GNU-stack,"",@progbits
