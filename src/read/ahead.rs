//! Decompression ahead of its reader, on a thread of its own: both take their time at once.
//!
//! A few buffers go round, so that memory stays the same however long the text is. The thread asks the decompressor for
//! the very pieces that a reader without it asks for, and a fault travels behind the text that precedes it.

use super::refusal::Refusal;
use super::source::Stream;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Buffers that go round: one is filled and one is read, and two more take up what either takes longer at times.
const BUFFERS: usize = 4;

/// A piece of text.
#[derive(Default)]
struct Piece {
    buffer: Vec<u8>,
    end: usize,
    last: Option<Last>,
}

/// What comes with the last piece.
struct Last {
    stream: Box<Stream>,
    /// What ended the text before its end.
    fault: Option<Refusal>,
}

/// The reader's side.
pub(super) struct Ahead {
    filled: Receiver<Piece>,
    spent: SyncSender<Vec<u8>>,
    thread: Option<JoinHandle<()>>,
    piece: Piece,
    at: usize,
}

/// Starts to decompress in pieces of so many bytes. Where no thread can be had, the stream comes back.
pub(super) fn start(stream: Box<Stream>, piece_bytes: usize) -> Result<Ahead, Box<Stream>> {
    let (to_reader, filled) = sync_channel(BUFFERS);
    let (spent, to_thread) = sync_channel(BUFFERS);
    // The stream follows its thread, for it must stay where no thread starts.
    let (hand_over, handed_over) = sync_channel(1);
    let work = move || {
        if let Ok(stream) = handed_over.recv() {
            decompress(stream, &to_thread, &to_reader);
        }
    };
    let Ok(thread) = Builder::new().name("decompress".to_owned()).spawn(work) else {
        return Err(stream);
    };
    for _ in 0..BUFFERS {
        // There is a place for each buffer, on the way there and on the way back: no sending ever waits.
        let _ = spent.send(vec![0; piece_bytes]);
    }
    hand_over.send(stream).map_err(|unsent| unsent.0)?;
    Ok(Ahead { filled, spent, thread: Some(thread), piece: Piece::default(), at: 0 })
}

/// Fills buffers until the text ends, or nobody reads it any more.
fn decompress(mut stream: Box<Stream>, spent: &Receiver<Vec<u8>>, reader: &SyncSender<Piece>) {
    while let Ok(mut buffer) = spent.recv() {
        let mut end = 0;
        let outcome = stream.fill(&mut buffer, &mut end);
        if outcome.is_ok() && end == buffer.len() {
            if reader.send(Piece { buffer, end, last: None }).is_err() {
                return;
            }
            continue;
        }
        let last = Some(Last { stream, fault: outcome.err() });
        // Where this fails, nobody reads.
        let _ = reader.send(Piece { buffer, end, last });
        return;
    }
}

impl Ahead {
    /// Reads text; 0 only at its end.
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, Refusal> {
        loop {
            let at_hand = &self.piece.buffer[self.at..self.piece.end];
            if !at_hand.is_empty() {
                let read = at_hand.len().min(out.len());
                out[..read].copy_from_slice(&at_hand[..read]);
                self.at += read;
                return Ok(read);
            }
            match &mut self.piece.last {
                Some(last) => return last.fault.take().map_or(Ok(0), Err),
                None => self.next_piece()?,
            }
        }
    }

    fn next_piece(&mut self) -> Result<(), Refusal> {
        let buffer = std::mem::take(&mut self.piece.buffer);
        (self.at, self.piece.end) = (0, 0);
        if !buffer.is_empty() {
            // Where this fails, the thread has ended, and the next piece tells why.
            let _ = self.spent.send(buffer);
        }
        match self.filled.recv() {
            Ok(piece) => self.piece = piece,
            Err(_) => return Err(self.lost()),
        }
        Ok(())
    }

    /// Passes on why the thread ended without a last piece: it panicked.
    fn lost(&mut self) -> Refusal {
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            resume_unwind(panic);
        }
        Refusal::io(&std::io::Error::other("its decompression ended early"))
    }

    /// The stream, once the text has ended.
    pub(super) fn into_stream(mut self) -> Result<Box<Stream>, Refusal> {
        match self.piece.last.take() {
            Some(last) => Ok(last.stream),
            None => Err(self.lost()),
        }
    }
}
