using System.Text.Json;

namespace Opossum.Projections.States;

/// <summary>Converts the state in a file; null if there is none.</summary>
/// <param name="reader">The reader, before the value; after it when this returns.</param>
internal delegate TState? StateValue<TState>(ref Utf8JsonReader reader, ReadOnlySpan<byte> file, string key)
    where TState : class;
