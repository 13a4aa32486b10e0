using System.Text.Json.Serialization;

namespace Opossum.Tests.Serialization;

[EventType("parcel-sent")]
internal sealed record ParcelSent([property: Tag("parcel")] string ParcelId, [property: Tag("sender")] string? Sender, int Grams = 0);

[EventType("parcel-weighed", Version = 3)]
internal sealed record ParcelWeighed(string ParcelId, int Grams, string Unit);

internal enum ParcelState
{
    Lost,
    FoundAgain,
}

internal sealed record ParcelChanged([property: Tag("state")] ParcelState State);

[JsonSourceGenerationOptions(System.Text.Json.JsonSerializerDefaults.Web, UseStringEnumConverter = true, WriteIndented = true)]
[JsonSerializable(typeof(ParcelSent))]
[JsonSerializable(typeof(ParcelChanged))]
[JsonSerializable(typeof(ParcelGrüße))]
internal sealed partial class ParcelsJson : JsonSerializerContext;

internal sealed record ParcelGrüße(string Grüße);
